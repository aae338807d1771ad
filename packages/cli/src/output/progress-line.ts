import type { Writable } from 'node:stream';
import { sanitizeOneLine } from './sanitize-text.ts';
import { isTerminalStream } from './terminal-prompt.ts';

/** Update interval; more frequent updates only cost time. */
const progressIntervalMs = 100;

/** Creates a progress line that overwrites itself; it prints nothing if the stream is not a terminal. */
export function createProgressLine(stream: Writable): { show(text: string): void; clear(): void } {
  if (!isTerminalStream(stream)) return { show: () => undefined, clear: () => undefined };
  let shownAt = Date.now();
  let shown = false;
  return {
    show(text) {
      if (Date.now() - shownAt < progressIntervalMs) return;
      shownAt = Date.now();
      shown = true;
      stream.write(`\r\x1b[K${sanitizeOneLine(text).slice(0, stream.columns - 1)}`);
    },
    clear() {
      if (shown) stream.write('\r\x1b[K');
      shown = false;
    },
  };
}
