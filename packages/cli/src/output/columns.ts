import type { Writable } from 'node:stream';
import stringWidth from 'string-width';
import { sanitizeOneLine } from './sanitize-text.ts';

/** Width if the output is not a terminal, or a terminal that does not report its width. */
const defaultWidth = 120;
const minWidth = 60;

export function getOutputWidth(stream: Writable): number {
  const columns = 'columns' in stream && typeof stream.columns === 'number' ? stream.columns : defaultWidth;
  return Math.max(minWidth, columns);
}

const graphemeSegmenter = new Intl.Segmenter();

/** Formats a text on one line of exactly this many columns: truncated with an ellipsis, or padded. */
export function formatCell(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const fitted = truncateColumns(text, width);
  const padding = ' '.repeat(Math.max(0, width - stringWidth(fitted)));
  return side === 'left' ? fitted + padding : padding + fitted;
}

/** Truncates a text to one line of at most this many columns, with control characters neutralized. */
export function truncateColumns(text: string, width: number): string {
  // Almost every character takes at least one column, so a prefix of a long text is enough.
  const line = sanitizeOneLine(text.slice(0, width * 4));
  let columns = 0;
  let length = 0;
  for (const { segment } of graphemeSegmenter.segment(line)) {
    columns += stringWidth(segment);
    if (columns > width) break;
    if (columns < width) length += segment.length;
  }
  return columns > width || text.length > width * 4 ? `${line.slice(0, length)}…` : line;
}

export type TextTable = {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** The first column holds names, the others numbers. Without rows there is no table. */
export function formatTextTable({ title, head, rows }: TextTable, rowsMax: number): readonly string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, rowsMax);
  const widths = head.map((name, column) =>
    Math.min(maxTableCell, Math.max(name.length, ...shown.map((row) => row[column]?.length ?? 0))),
  );
  const line = (row: readonly string[]): string =>
    `  ${row.map((text, column) => formatCell(text, widths[column] ?? 0, column === 0 ? 'left' : 'right')).join('  ')}`;
  const more = rows.length > rowsMax ? [`  ${rows.length - rowsMax} more; use --json for all`] : [];
  return ['', title, line(head), ...shown.map(line), ...more].map((each) => each.trimEnd());
}

const maxTableCell = 60;
