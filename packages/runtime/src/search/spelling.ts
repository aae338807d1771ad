import type { Passages } from './database.ts';
import { fold, stem } from './words.ts';

/** The word in the index that is spelt most like one that is not: one slip, or two in a long word. */
export function similarWord(passages: Passages, word: string): string | null {
  const wanted = fold(word);
  if (wanted.length < lettersMin || wanted.length > lettersMax || !/^\p{L}+$/u.test(wanted)) return null;
  const root = closestStem(passages, wanted);
  return root === null ? null : (asWritten(passages, root, wanted) ?? root);
}

const lettersMin = 4;
const lettersMax = 40;
const longWord = 9;

/** Of a shorter word nearly every other word is a misspelling, unless it has the same letters. */
const shortWord = 6;

/** Of several that are as close, the one in most passages. */
function closestStem(passages: Passages, wanted: string): string | null {
  const root = stem(wanted);
  const slipsTo = (term: string) => Math.min(slipsBetween(root, stem(term)), slipsBetween(wanted, term));
  const isLikely = (term: string) => wanted.length >= shortWord || letters(wanted) === letters(term);
  // People get the first letter right, and to look at one letter only keeps it fast.
  const letter = wanted.slice(0, 1);
  const sql =
    'SELECT term FROM vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ? ORDER BY doc DESC, term';
  let best = { stem: '', slips: wanted.length < longWord ? 2 : 3 };
  for (const row of passages.all(sql, letter, `${letter}\u{10ffff}`, root.length - 2, wanted.length + 2)) {
    const term = String(row['term']);
    const slips = isLikely(term) ? slipsTo(term) : far;
    if (slips < best.slips) best = { stem: term, slips };
  }
  return best.stem === '' ? null : best.stem;
}

function letters(word: string): string {
  return Array.from(word).toSorted().join('');
}

/** A stem is not a word; this is the word in a text that has it. */
function asWritten(passages: Passages, root: string, like: string): string | null {
  const sql = 'SELECT text, heading, path FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT 1';
  const [row] = passages.all(sql, `"${root}"`);
  const words =
    Object.values(row ?? {})
      .join(' ')
      .match(/\p{L}+/gu) ?? [];
  const near = words.map((word) => ({ word: fold(word), slips: slipsBetween(fold(word), like) }));
  const best = near.reduce((a, b) => (b.slips < a.slips ? b : a), { word: '', slips: 3 });
  return best.word === '' ? null : best.word;
}

/** More slips than this are not told apart. */
const far = 3;

/** Letters to add, drop, change or swap with a neighbour to get from one word to the other, counted up to `far`. */
export function slipsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) >= far) return far;
  // Row `i` of the table holds the slips between the first `i` letters of `a` and each beginning of `b`.
  const table = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => table[row]?.[column] ?? far;
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    table.push(current);
    for (let column = 1; column <= b.length; column++) {
      const changed = at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? at(row - 2, column - 2) + 1 : far;
      current.push(Math.min(changed, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1));
    }
    if (Math.min(...current) >= far) return far;
  }
  return Math.min(far, at(a.length, b.length));
}
