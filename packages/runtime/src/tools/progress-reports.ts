import { stripVTControlCharacters } from 'node:util';

/** How often whoever watches is told, and how much at a time. */
const everyMs = 250;
const charsMax = 2_000;

/** Passes on what a command writes, not more often than can be followed. */
export function createReports(report: (progress: string) => void): {
  add(chunk: Buffer): void;
  stop(): void;
} {
  const decoder = new TextDecoder();
  let waiting = '';
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    timer = null;
    report(stripVTControlCharacters(waiting));
    waiting = '';
  };
  return {
    add(chunk) {
      waiting = (waiting + decoder.decode(chunk, { stream: true })).slice(-charsMax);
      if (waiting !== '') timer ??= setTimeout(flush, everyMs);
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}
