import { useEffect, useState } from 'react';
import type { ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { getStateHistory, type StateHistory } from './history-model.ts';

/** Small enough that the time limit is checked often. */
const historySliceSize = 50;
/** Maximum time per slice without dropping a frame. */
const historySliceMs = 12;
/** Interval of updates while loading, because rendering takes longer than processing a slice. */
const historyShowEveryMs = 300;

/** Returns the history of a timeline, updated in slices; `processed` is the number of processed events. */
export function useStateHistory(
  timeline: ReplayedTimeline,
  version: number,
): { readonly history: StateHistory; readonly processed: number } {
  const history = getStateHistory(timeline);
  const [processed, setProcessed] = useState(history.processed);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let shownAt = performance.now();
    const processSlice = (): void => {
      const startedAt = performance.now();
      while (!history.isDone && performance.now() - startedAt < historySliceMs)
        history.advance(historySliceSize);
      if (history.isDone || startedAt - shownAt > historyShowEveryMs) {
        shownAt = startedAt;
        setProcessed(history.processed);
      }
      if (!history.isDone) timer = setTimeout(processSlice, 0);
    };
    processSlice();
    return () => clearTimeout(timer);
  }, [history, version]);
  return { history, processed: processed };
}
