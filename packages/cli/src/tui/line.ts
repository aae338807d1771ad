import stringWidth from 'string-width';
import { plain, plainLine } from './plain.ts';

/** What a piece of text means; the colours for it are chosen where it is painted. */
export type Style = 'plain' | 'dim' | 'strong' | 'accent' | 'good' | 'bad' | 'warn';

export type Segment = { readonly text: string; readonly style: Style };

/** One row of the screen. */
export type Line = readonly Segment[];

export const blank: Line = [];

/** The one way to make a segment: whatever the text is, it is on one line and only to be seen. */
export function seg(text: string, style: Style = 'plain'): Segment {
  return { text: plainLine(text), style };
}

export function textOf(line: Line): string {
  return line.map(({ text }) => text).join('');
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** Columns that a text takes on the screen. */
export function widthOf(text: string): number {
  return isNarrow(text) ? text.length : stringWidth(text);
}

/** A line cut to a width, with an ellipsis where something is missing. */
export function fitted(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const kept: Segment[] = [];
  let room = width - 1;
  for (const { text, style } of line) {
    const [head] = wrapped(text, Math.max(room, 0), 'anywhere');
    if (room > 0 && head !== undefined) kept.push({ text: head, style });
    room -= widthOf(text);
    if (room < 0) break;
  }
  return width < 1 ? [] : [...kept, { text: '…', style: 'dim' }];
}

/** A line of exactly this width. */
export function padded(line: Line, width: number): Line {
  const cut = fitted(line, width);
  const missing = width - lineWidth(cut);
  return missing <= 0 ? cut : [...cut, { text: ' '.repeat(missing), style: 'plain' }];
}

/** One line with something at its left and something at its right end; the left gives way. */
export function spread(left: Line, right: Line, width: number): Line {
  const end = fitted(right, width);
  const room = width - lineWidth(end);
  return room < 2 ? end : [...padded(left, room - 1), { text: ' ', style: 'plain' }, ...end];
}

/** Pieces with a dot between them, as many as fit. */
export function joined(pieces: readonly Line[], width: number): Line {
  const line: Segment[] = [];
  let room = width;
  for (const piece of pieces) {
    const dot: Line = line.length === 0 ? [] : [seg(' · ', 'dim')];
    const needed = lineWidth(dot) + lineWidth(piece);
    if (needed > room) continue;
    line.push(...dot, ...piece);
    room -= needed;
  }
  return line.length === 0 && pieces[0] !== undefined ? fitted(pieces[0], width) : line;
}

/** A text of several lines as rows of at most this width. */
export function rowsOf(text: string, width: number): readonly string[] {
  return plain(text)
    .split('\n')
    .flatMap((line) => wrapped(line, width));
}

/**
 * One line as rows of at most this width, broken between words where that is possible. The text must be plain already.
 * Looks at each character once.
 */
export function wrapped(
  text: string,
  width: number,
  breaks: 'words' | 'anywhere' = 'words',
): readonly string[] {
  if (width < 1) return [''];
  if (isNarrow(text)) return narrowRows(text, width, breaks);
  const rows: string[] = [];
  let row = emptyRow;
  for (const sign of signsOf(text, width)) {
    if (row.columns + sign.columns <= width) {
      row = grown(row, sign, breaks);
    } else if (sign.text === ' ' && breaks === 'words') {
      rows.push(row.text);
      row = emptyRow;
    } else {
      rows.push(row.break > 0 ? row.text.slice(0, row.break).trimEnd() : row.text);
      row = grown(restOf(row), sign, breaks);
    }
  }
  return [...rows, row.text];
}

/** The same for text of which every character takes one column. */
function narrowRows(text: string, width: number, breaks: 'words' | 'anywhere'): readonly string[] {
  const rows: string[] = [];
  let start = 0;
  while (text.length - start > width) {
    const row = text.slice(start, start + width);
    const space = breaks === 'words' ? row.lastIndexOf(' ') : -1;
    if (breaks === 'words' && text[start + width] === ' ') {
      rows.push(row);
      start += width + 1;
    } else if (space !== -1 && row.slice(0, space).trim() !== '') {
      rows.push(row.slice(0, space).trimEnd());
      start += space + 1;
    } else {
      rows.push(row);
      start += width;
    }
  }
  return [...rows, text.slice(start)];
}

/** A row that is being filled. `break` is where it can be broken, 0 for nowhere, and `columnsThere` its width up to there. */
type Row = {
  readonly text: string;
  readonly columns: number;
  readonly break: number;
  readonly columnsThere: number;
};

const emptyRow: Row = { text: '', columns: 0, break: 0, columnsThere: 0 };

function grown(row: Row, sign: Sign, breaks: 'words' | 'anywhere'): Row {
  const text = row.text + sign.text;
  const columns = row.columns + sign.columns;
  // What a row begins with is its indentation.
  const isBreak = sign.text === ' ' && breaks === 'words' && row.text.trim() !== '';
  return isBreak ? { text, columns, break: text.length, columnsThere: columns } : { ...row, text, columns };
}

function restOf(row: Row): Row {
  if (row.break === 0) return emptyRow;
  return { ...emptyRow, text: row.text.slice(row.break), columns: row.columns - row.columnsThere };
}

type Sign = { readonly text: string; readonly columns: number };

const segmenter = new Intl.Segmenter();

/** More than any letter has; a longer one is made up to break the screen. */
const signMax = 24;

/** What a reader sees as one character, each with its width; none is wider than a row. */
function* signsOf(text: string, width: number): Generator<Sign, void, undefined> {
  for (const { segment } of segmenter.segment(text)) {
    const columns = segment.length > signMax ? Infinity : widthOf(segment);
    yield columns > width ? { text: '�', columns: 1 } : { text: segment, columns };
  }
}

/** Letters, and the signs that the view itself is drawn with: each takes one column and joins with no other. */
const narrow = /^[\u0020-\u007e\u00b7\u2026\u2190-\u21ff\u2500-\u257f\u25b0\u25b1\u25c9\u25cb\u25cf]*$/u;

function isNarrow(text: string): boolean {
  return narrow.test(text);
}
