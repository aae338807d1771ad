import { useEffect, useState } from 'react';
import type { ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { getStateHistory, type StateHistory } from './history-model.ts';

/** Small enough that the time limit is checked often. */
const historySliceSize = 50;
/** Maximum time per slice without dropping a frame. */
const historySliceMs = 12;
/** Interval of updates while loading, because rendering takes longer than processing a slice. */
const historyShowEveryMs = 300;

/** Returns the history of a timeline, updated in slices; `taken` is the number of processed events. */
export function useStateHistory(
  track: ReplayedTimeline,
  version: number,
): { readonly history: StateHistory; readonly taken: number } {
  const history = getStateHistory(track);
  const [taken, setTaken] = useState(history.taken);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let shownAt = performance.now();
    const readOn = (): void => {
      const begun = performance.now();
      while (!history.isDone && performance.now() - begun < historySliceMs) history.advance(historySliceSize);
      if (history.isDone || begun - shownAt > historyShowEveryMs) {
        shownAt = begun;
        setTaken(history.taken);
      }
      if (!history.isDone) timer = setTimeout(readOn, 0);
    };
    readOn();
    return () => clearTimeout(timer);
  }, [history, version]);
  return { history, taken };
}
