import { computePairOverlap, listLetterPairs } from './file-errors.ts';
import { lineCutMark, type NumberedLine } from './numbered-lines.ts';

/** Returns the offsets of a piece in a text, without overlaps. */
export function findOccurrences(text: string, piece: string): readonly number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + piece.length)) offsets.push(at);
  return offsets;
}

/** Returns the 1-based line number of an offset. */
export function getLineNumber(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) line += 1;
  return line;
}

export type NearestText = {
  readonly first: number;
  readonly lines: readonly NumberedLine[];
  /** Whether the text differs only in whitespace. */
  readonly differsInWhitespace: boolean;
};

/** Limits for the lines compared and shown; enough for any file edited by hand. */
const comparedLinesMax = 50_000;
const nearLinesMax = 15;
const shownCharsMax = 300;

/** Finds the lines most similar to a piece that is not in the text; null if none is similar. */
export function findNearestText(text: string, piece: string): NearestText | null {
  const lines = text.split('\n').slice(0, comparedLinesMax);
  const target = piece.trim().split('\n');
  const start = findBestStart(lines.map(normalizeWhitespace), target.map(normalizeWhitespace));
  if (start === null) return null;
  const nearest = lines.slice(start, start + target.length);
  const shown = nearest.slice(0, nearLinesMax).map((line, index) => ({
    number: start + index + 1,
    text: line.length > shownCharsMax ? line.slice(0, shownCharsMax) + lineCutMark : line.replace(/\r$/, ''),
  }));
  return {
    first: start + 1,
    lines: shown,
    differsInWhitespace: normalizeWhitespace(nearest.join(' ')).includes(
      normalizeWhitespace(target.join(' ')),
    ),
  };
}

/** Whitespace is the most common difference. */
function normalizeWhitespace(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

function findBestStart(lines: readonly string[], target: readonly string[]): number | null {
  return findMostEqualLines(lines, target) ?? findMostAlikeLine(lines, target);
}

/** A line that the piece repeats more often than this says nothing about its position. */
const repeatsMax = 20;

/** Finds the start where most lines of the piece match exactly. Each line of the text votes for a start. */
function findMostEqualLines(lines: readonly string[], target: readonly string[]): number | null {
  const indexesByLine = indexLines(target);
  const votes = new Map<number, number>();
  let best: { readonly start: number; readonly votes: number } | null = null;
  for (const [index, line] of lines.entries()) {
    for (const lineIndex of indexesByLine.get(line) ?? []) {
      const start = Math.max(0, index - lineIndex);
      const count = (votes.get(start) ?? 0) + 1;
      votes.set(start, count);
      if (count > (best?.votes ?? 0)) best = { start, votes: count };
    }
  }
  return best?.start ?? null;
}

function indexLines(target: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const indexesByLine = new Map<string, number[]>();
  for (const [index, line] of target.entries()) {
    if (line === '') continue;
    const at = indexesByLine.get(line) ?? [];
    if (at.length < repeatsMax) at.push(index);
    indexesByLine.set(line, at);
  }
  return indexesByLine;
}

/** Limits for the characters and lines compared, and the minimum similarity. */
const alikeCharsMax = 200;
const alikeLinesMax = 5_000;
const alikeMin = 0.5;

/** Fallback when no line is equal: aligns the longest line of the piece with the line most similar to it. */
function findMostAlikeLine(lines: readonly string[], target: readonly string[]): number | null {
  const longest = target.reduce((a, b) => (b.length > a.length ? b : a), '');
  if (longest === '') return null;
  const pairs = listLetterPairs(longest.slice(0, alikeCharsMax));
  let best = { at: -1, likeness: alikeMin };
  for (const [at, line] of lines.slice(0, alikeLinesMax).entries()) {
    const similarity = line.includes(longest)
      ? 1
      : computePairOverlap(pairs, listLetterPairs(line.slice(0, alikeCharsMax)));
    if (similarity > best.likeness) best = { at, likeness: similarity };
  }
  return best.at === -1 ? null : Math.max(0, best.at - target.indexOf(longest));
}
