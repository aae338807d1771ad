import type { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { visibleLine } from './visible.ts';

/** How often the line is written anew; more often only costs time. */
const everyMs = 100;

/** A line that is written over itself while something takes long; on anything but a terminal it stays silent. */
export function progressLine(stream: Writable): { show(text: string): void; clear(): void } {
  if (!isTerminal(stream)) return { show: () => undefined, clear: () => undefined };
  let shownAt = Date.now();
  let shown = false;
  return {
    show(text) {
      if (Date.now() - shownAt < everyMs) return;
      shownAt = Date.now();
      shown = true;
      stream.write(`\r\x1b[K${visibleLine(text).slice(0, stream.columns - 1)}`);
    },
    clear() {
      if (shown) stream.write('\r\x1b[K');
    },
  };
}

function isTerminal(stream: Writable): stream is WriteStream {
  return 'isTTY' in stream && stream.isTTY === true;
}
