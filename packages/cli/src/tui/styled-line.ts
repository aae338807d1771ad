import stringWidth from 'string-width';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { sanitizeText } from '../output/sanitize-text.ts';

/** The meaning of a text segment; the painter chooses its color. */
export type TextStyle = 'plain' | 'dim' | 'strong' | 'accent' | 'good' | 'bad' | 'warn';

export type StyledSegment = { readonly text: string; readonly style: TextStyle };

/** One row of the screen. */
export type StyledLine = readonly StyledSegment[];

export const blankLine: StyledLine = [];

/** The only way to create a segment: it reduces any text to one line of plain text. */
export function createSegment(text: string, style: TextStyle = 'plain'): StyledSegment {
  return { text: toPlainLine(text), style };
}

export function getLineText(line: StyledLine): string {
  return line.map(({ text }) => text).join('');
}

export function getLineWidth(line: StyledLine): number {
  return line.reduce((sum, { text }) => sum + getTextWidth(text), 0);
}

/** Returns the number of columns that a text takes. */
export function getTextWidth(text: string): number {
  return isNarrowText(text) ? text.length : stringWidth(text);
}

/** Truncates a line to a width, with an ellipsis. */
export function truncateLine(line: StyledLine, width: number): StyledLine {
  if (getLineWidth(line) <= width) return line;
  const segments: StyledSegment[] = [];
  let room = width - 1;
  for (const { text, style } of line) {
    const [head] = wrapLine(text, Math.max(room, 0), 'anywhere');
    if (room > 0 && head !== undefined) segments.push({ text: head, style });
    room -= getTextWidth(text);
    if (room < 0) break;
  }
  return width < 1 ? [] : [...segments, { text: '…', style: 'dim' }];
}

/** Pads or truncates a line to exactly this width. */
export function padLine(line: StyledLine, width: number): StyledLine {
  const truncated = truncateLine(line, width);
  const missing = width - getLineWidth(truncated);
  return missing <= 0 ? truncated : [...truncated, { text: ' '.repeat(missing), style: 'plain' }];
}

/** Joins a left and a right part on one line; the left part is truncated first. */
export function justifyLine(left: StyledLine, right: StyledLine, width: number): StyledLine {
  const end = truncateLine(right, width);
  const room = width - getLineWidth(end);
  return room < 2 ? end : [...padLine(left, room - 1), { text: ' ', style: 'plain' }, ...end];
}

/** Joins as many pieces as fit, separated by dots. */
export function joinPieces(pieces: readonly StyledLine[], width: number): StyledLine {
  const line: StyledSegment[] = [];
  let room = width;
  for (const piece of pieces) {
    const dot: StyledLine = line.length === 0 ? [] : [createSegment(' · ', 'dim')];
    const needed = getLineWidth(dot) + getLineWidth(piece);
    if (needed > room) continue;
    line.push(...dot, ...piece);
    room -= needed;
  }
  return line.length === 0 && pieces[0] !== undefined ? truncateLine(pieces[0], width) : line;
}

/** Wraps a multi-line text into rows of at most this width. */
export function wrapText(text: string, width: number): readonly string[] {
  return toPlainText(text)
    .split('\n')
    .flatMap((line) => wrapLine(line, width));
}

/**
 * Wraps one line into rows of at most this width, between words if possible. The text must already be plain. Visits
 * each character once.
 */
export function wrapLine(
  text: string,
  width: number,
  breaks: 'words' | 'anywhere' = 'words',
): readonly string[] {
  if (width < 1) return [''];
  if (isNarrowText(text)) return wrapNarrowText(text, width, breaks);
  const rows: string[] = [];
  let row = emptyRowDraft;
  for (const grapheme of iterateGraphemes(text, width)) {
    if (row.columns + grapheme.columns <= width) {
      row = appendGrapheme(row, grapheme, breaks);
    } else if (grapheme.text === ' ' && breaks === 'words') {
      rows.push(row.text);
      row = emptyRowDraft;
    } else {
      rows.push(row.breakIndex > 0 ? row.text.slice(0, row.breakIndex).trimEnd() : row.text);
      row = appendGrapheme(getRowRemainder(row), grapheme, breaks);
    }
  }
  return [...rows, row.text];
}

/** Like {@link wrapLine}, for text in which every character takes one column. */
function wrapNarrowText(text: string, width: number, breaks: 'words' | 'anywhere'): readonly string[] {
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

/**
 * A row under construction. `break` is the last position where it can be broken, 0 for none; `columnsThere` is its
 * width up to there.
 */
type RowDraft = {
  readonly text: string;
  readonly columns: number;
  readonly breakIndex: number;
  readonly columnsAtBreak: number;
};

const emptyRowDraft: RowDraft = { text: '', columns: 0, breakIndex: 0, columnsAtBreak: 0 };

function appendGrapheme(row: RowDraft, grapheme: MeasuredGrapheme, breaks: 'words' | 'anywhere'): RowDraft {
  const text = row.text + grapheme.text;
  const columns = row.columns + grapheme.columns;
  // Leading spaces are indentation, not a break.
  const isBreak = grapheme.text === ' ' && breaks === 'words' && row.text.trim() !== '';
  return isBreak
    ? { text, columns, breakIndex: text.length, columnsAtBreak: columns }
    : { ...row, text, columns };
}

function getRowRemainder(row: RowDraft): RowDraft {
  if (row.breakIndex === 0) return emptyRowDraft;
  return {
    ...emptyRowDraft,
    text: row.text.slice(row.breakIndex),
    columns: row.columns - row.columnsAtBreak,
  };
}

type MeasuredGrapheme = { readonly text: string; readonly columns: number };

const graphemeSegmenter = new Intl.Segmenter();

/** Longer than any real grapheme; a longer one is crafted to break the layout. */
const maxGraphemeLength = 24;

/** Yields graphemes with their widths; none is wider than a row. */
function* iterateGraphemes(text: string, width: number): Generator<MeasuredGrapheme, void, undefined> {
  for (const { segment } of graphemeSegmenter.segment(text)) {
    const columns = segment.length > maxGraphemeLength ? Infinity : getTextWidth(segment);
    yield columns > width ? { text: '�', columns: 1 } : { text: segment, columns };
  }
}

/** ASCII and the symbols of the view itself, each of which takes one column and combines with no other. */
const narrowPattern =
  /^[\u0020-\u007e\u00b7\u2026\u2190-\u21ff\u2500-\u257f\u25b0\u25b1\u25c9\u25cb\u25cf]*$/u;

function isNarrowText(text: string): boolean {
  return narrowPattern.test(text);
}

type StyleFormat = Parameters<typeof styleText>[0];

const styleFormats: { readonly [Name in Exclude<TextStyle, 'plain'>]: StyleFormat } = {
  dim: 'dim',
  strong: 'bold',
  accent: 'cyan',
  good: 'green',
  bad: 'red',
  warn: 'yellow',
};

/** Creates a painter for one stream, with colors if the stream supports them and the user has not disabled them. */
export function createPainter(stream: Writable): (line: StyledLine) => string {
  const supportsColor = styleText('dim', 'x', { stream }) !== 'x';
  return (line) =>
    line
      .map(({ text, style }) => (supportsColor && style !== 'plain' ? colorText(text, style) : text))
      .join('');
}

function colorText(text: string, style: Exclude<TextStyle, 'plain'>): string {
  return styleText(styleFormats[style], text, { validateStream: false });
}

/** Renders a fraction as a bar: ▰▰▰▱▱▱. A fraction above 1 fills the bar. */
export function renderBar(share: number, cells: number, style: TextStyle = getBarStyle(share)): StyledLine {
  const bounded = Number.isFinite(share) ? Math.min(Math.max(share, 0), 1) : 0;
  const full = Math.min(cells, Math.round(bounded * cells));
  return [createSegment('▰'.repeat(full), style), createSegment('▱'.repeat(cells - full), 'dim')];
}

export function formatPercent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(Math.max(share, 0) * 100)} %` : '0 %';
}

/** 1,234,567 */
export function formatInteger(count: number): string {
  return count.toLocaleString('en-GB', { maximumFractionDigits: 0 });
}

/** Neutral until the bar is nearly full. */
function getBarStyle(share: number): TextStyle {
  if (share >= 0.9) return 'bad';
  return share >= 0.7 ? 'warn' : 'accent';
}

/*
 * Further sanitizing after `sanitizeText`, for text in columns: every remaining character has a known width, so that a
 * line ends where the layout expects.
 */

/** Joiners and variation selectors only change a neighboring character, and their width differs between terminals. */
const joinerPattern = /\u200d|[\ufe00-\ufe0f]/gu;

/** Zero-width or unassigned characters, whose rendering depends on the terminal. */
const unknownWidthPattern = /[\p{Cf}\p{DI}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** More combining marks than any language uses would overlap the lines above and below. */
const stackedMarksPattern = /(\p{M}{4})(\p{M}+)/gu;

/** Returns text in which every character except `\n` is only visible and has no other effect. */
export function toPlainText(text: string): string {
  return sanitizeText(text.toWellFormed())
    .replaceAll('\t', '    ')
    .replaceAll(joinerPattern, '')
    .replaceAll(unknownWidthPattern, spellCodePoint)
    .replaceAll(
      stackedMarksPattern,
      (_, marks: string, more: string) => `${marks}⟨${Array.from(more).length} more⟩`,
    );
}

/** Like {@link toPlainText}, on one line. */
export function toPlainLine(text: string): string {
  return isPrintableAscii(text) ? text : toPlainText(text).replaceAll('\n', '⏎');
}

/** Fast path, because most text needs no sanitizing. */
function isPrintableAscii(text: string): boolean {
  return /^[\u0020-\u007e]*$/.test(text);
}

/** Truncates the middle of a text, keeping both ends and the number of characters omitted. */
export function elideMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 4);
  const missing = text.length - max;
  return `${text.slice(0, max - tail)}\n… ${missing} characters not shown …\n${text.slice(-tail)}`.toWellFormed();
}

function spellCodePoint(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
  return code.length === 4 ? `\\u${code}` : `\\u{${code}}`;
}
