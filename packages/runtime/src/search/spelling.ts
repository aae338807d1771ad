import { computeEditDistance } from '../nearest-name.ts';
import type { PassageDatabase } from './database.ts';
import { foldWord, stemWord } from './words.ts';

/** Finds the indexed word closest in spelling to one without matches: one edit away, or two for a long word. */
export function findSimilarWord(passages: PassageDatabase, word: string): string | null {
  const target = foldWord(word);
  if (target.length < lettersMin || target.length > lettersMax || !/^\p{L}+$/u.test(target)) return null;
  const root = findClosestStem(passages, target);
  return root === null ? null : (findWrittenWord(passages, root, target) ?? root);
}

const lettersMin = 4;
const lettersMax = 40;
const longWord = 9;

/** Larger distances are not distinguished. */
const slipsMax = 3;

/** Nearly every word is close to a shorter one, so a shorter word must have the same letters. */
const shortWord = 6;

/** Of several equally close stems, picks the one in most passages. */
function findClosestStem(passages: PassageDatabase, target: string): string | null {
  const root = stemWord(target);
  const getDistance = (term: string) =>
    Math.min(
      computeEditDistance(root, stemWord(term), slipsMax),
      computeEditDistance(target, term, slipsMax),
    );
  const isLikely = (term: string) => target.length >= shortWord || sortLetters(target) === sortLetters(term);
  // The first letter is usually right, and restricting the scan to it keeps it fast.
  const letter = target.slice(0, 1);
  const sql =
    'SELECT term FROM vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ? ORDER BY doc DESC, term';
  let best = { stem: '', slips: target.length < longWord ? 2 : 3 };
  for (const row of passages.all(sql, letter, `${letter}\u{10ffff}`, root.length - 2, target.length + 2)) {
    const term = String(row['term']);
    const distance = isLikely(term) ? getDistance(term) : slipsMax;
    if (distance < best.slips) best = { stem: term, slips: distance };
  }
  return best.stem === '' ? null : best.stem;
}

function sortLetters(word: string): string {
  return Array.from(word).toSorted().join('');
}

/** A stem is not a word, so find the word in a text that has this stem. */
function findWrittenWord(passages: PassageDatabase, root: string, target: string): string | null {
  const sql = 'SELECT text, heading, path FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT 1';
  const [row] = passages.all(sql, `"${root}"`);
  const words =
    Object.values(row ?? {})
      .join(' ')
      .match(/\p{L}+/gu) ?? [];
  const near = words.map((word) => ({
    word: foldWord(word),
    slips: computeEditDistance(foldWord(word), target, slipsMax),
  }));
  const best = near.reduce((a, b) => (b.slips < a.slips ? b : a), { word: '', slips: slipsMax });
  return best.word === '' ? null : best.word;
}
