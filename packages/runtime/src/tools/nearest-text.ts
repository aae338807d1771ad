import { overlap, pairsOf } from './letter-pairs.ts';
import { cutMark, type NumberedLine } from './numbered-lines.ts';

/** Where a piece stands in a text. Places that overlap count once. */
export function placesOf(text: string, piece: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + piece.length)) places.push(at);
  return places;
}

/** The line, counted from 1, that a place in a text is on. */
export function lineOf(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) line += 1;
  return line;
}

export type NearText = {
  readonly first: number;
  readonly lines: readonly NumberedLine[];
  /** Whether the words are the same and only the white space is not. */
  readonly differsInSpaces: boolean;
};

/** What is looked at and what is shown; enough for any file that people edit. */
const linesMax = 50_000;
const shownMax = 15;
const shownCharsMax = 300;

/** The lines of a text most like a piece that does not stand in it, or null when none is like it. */
export function nearestText(text: string, piece: string): NearText | null {
  const lines = text.split('\n').slice(0, linesMax);
  const wanted = piece.trim().split('\n');
  const start = bestStart(lines.map(squeezed), wanted.map(squeezed));
  if (start === null) return null;
  const found = lines.slice(start, start + wanted.length);
  const shown = found.slice(0, shownMax).map((line, index) => ({
    number: start + index + 1,
    text: line.length > shownCharsMax ? line.slice(0, shownCharsMax) + cutMark : line.replace(/\r$/, ''),
  }));
  return {
    first: start + 1,
    lines: shown,
    differsInSpaces: squeezed(found.join(' ')).includes(squeezed(wanted.join(' '))),
  };
}

/** White space is what most often differs. */
function squeezed(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

function bestStart(lines: readonly string[], wanted: readonly string[]): number | null {
  return mostEqualLines(lines, wanted) ?? mostAlikeLine(lines, wanted);
}

/** A line that the piece repeats more often than this says nothing about where it belongs. */
const repeatsMax = 20;

/** Where most lines of the piece stand in their places. Each line of the text votes for where the piece would begin. */
function mostEqualLines(lines: readonly string[], wanted: readonly string[]): number | null {
  const places = placesByLine(wanted);
  const votes = new Map<number, number>();
  let best: { readonly start: number; readonly votes: number } | null = null;
  for (const [index, line] of lines.entries()) {
    for (const place of places.get(line) ?? []) {
      const start = Math.max(0, index - place);
      const count = (votes.get(start) ?? 0) + 1;
      votes.set(start, count);
      if (count > (best?.votes ?? 0)) best = { start, votes: count };
    }
  }
  return best?.start ?? null;
}

function placesByLine(wanted: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, line] of wanted.entries()) {
    if (line === '') continue;
    const at = places.get(line) ?? [];
    if (at.length < repeatsMax) at.push(index);
    places.set(line, at);
  }
  return places;
}

/** How much of a line is compared, how many lines are, and how alike they must be. */
const alikeCharsMax = 200;
const alikeLinesMax = 5_000;
const alikeMin = 0.5;

/** With no line the same: where the longest line of the piece has one most like it. */
function mostAlikeLine(lines: readonly string[], wanted: readonly string[]): number | null {
  const longest = wanted.reduce((a, b) => (b.length > a.length ? b : a), '');
  if (longest === '') return null;
  const pairs = pairsOf(longest.slice(0, alikeCharsMax));
  let best = { at: -1, likeness: alikeMin };
  for (const [at, line] of lines.slice(0, alikeLinesMax).entries()) {
    const likeness = line.includes(longest) ? 1 : overlap(pairs, pairsOf(line.slice(0, alikeCharsMax)));
    if (likeness > best.likeness) best = { at, likeness };
  }
  return best.at === -1 ? null : Math.max(0, best.at - wanted.indexOf(longest));
}
