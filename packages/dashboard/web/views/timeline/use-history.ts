import { useEffect, useState } from 'react';
import type { Track } from '../../app/track.ts';
import { historyOf, type History } from './history-model.ts';

/** Few enough that the clock is looked at often. */
const slice = 50;
/** As long as a page can do without a frame. */
const atOnceMs = 12;
/** What is shown of it follows this often: drawing takes longer than reading on. */
const showEveryMs = 300;

/** The history of a track, caught up a slice at a time; `taken` grows as it does. */
export function useHistory(
  track: Track,
  version: number,
): { readonly history: History; readonly taken: number } {
  const history = historyOf(track);
  const [taken, setTaken] = useState(history.taken);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let shownAt = performance.now();
    const readOn = (): void => {
      const begun = performance.now();
      while (!history.isDone && performance.now() - begun < atOnceMs) history.advance(slice);
      if (history.isDone || begun - shownAt > showEveryMs) {
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
