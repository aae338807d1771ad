import type { Writable } from 'node:stream';
import { visibleLine } from '../visible.ts';

/** The width where the output is no terminal, or a terminal does not say how wide it is. */
const widthElsewhere = 120;
const widthMin = 60;

export function widthOf(stream: Writable): number {
  const columns = 'columns' in stream && typeof stream.columns === 'number' ? stream.columns : widthElsewhere;
  return Math.max(widthMin, columns);
}

/** Letters that are drawn over another, and those that take two columns. */
const flat = /[\p{Mn}\p{Me}]/u;
const wide =
  /[\p{Extended_Pictographic}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{20000}-\u{3fffd}]/u;

/** A text on one line of exactly this many columns: cut with an ellipsis, or filled up. */
export function cell(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const fitted = fit(text, width);
  const blank = ' '.repeat(Math.max(0, width - columnsOf(fitted)));
  return side === 'left' ? fitted + blank : blank + fitted;
}

/** A text on one line of at most this many columns. Whatever is in it, it is shown as text and nothing else. */
export function fit(text: string, width: number): string {
  // Every character takes up a column at least, but for a few: there is no need to look at a whole file.
  const line = visibleLine(text.slice(0, width * 4));
  let columns = 0;
  let length = 0;
  for (const character of line) {
    columns += columnsOf(character);
    if (columns > width) break;
    if (columns < width) length += character.length;
  }
  return columns > width || text.length > width * 4 ? `${line.slice(0, length)}…` : line;
}

function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += flat.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return columns;
}
