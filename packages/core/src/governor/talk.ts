import { Fingerprint } from './digest.ts';

/** A reply without any call, reduced to fingerprints. */
export type Talk = {
  readonly kind: 'talk';
  readonly seq: number;
  /** Equal for texts that differ only in case, digits, white space and punctuation. */
  readonly gist: string;
  /** A sample of the groups of three words in it, for telling how much two texts have in common. */
  readonly sample: readonly number[];
};

const textMax = 4_000;
const sampleMax = 32;

export function talk(seq: number, text: string): Talk {
  const words = text
    .slice(0, textMax)
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
  const fingerprint = new Fingerprint();
  for (const word of words) fingerprint.addExactly(`${word} `);
  return { kind: 'talk', seq, gist: fingerprint.toString(), sample: sampleOf(words) };
}

/**
 * How alike two texts are, from 0 to 1: the share of groups of three words that they have in common, judged by the groups
 * with the smallest fingerprints. Which groups those are does not depend on where in the text they stand.
 */
export function likeness(a: Talk, b: Talk): number {
  const smallest = [...new Set([...a.sample, ...b.sample])].toSorted((x, y) => x - y).slice(0, sampleMax);
  if (smallest.length === 0) return a.gist === b.gist ? 1 : 0;
  const inA = new Set(a.sample);
  const inB = new Set(b.sample);
  return smallest.filter((each) => inA.has(each) && inB.has(each)).length / smallest.length;
}

function sampleOf(words: readonly string[]): readonly number[] {
  const groups = new Set<number>();
  for (let index = 0; index + 2 < words.length; index += 1) {
    const fingerprint = new Fingerprint();
    fingerprint.addExactly(words.slice(index, index + 3).join(' '));
    groups.add(fingerprint.toNumber());
  }
  return [...groups].toSorted((x, y) => x - y).slice(0, sampleMax);
}
