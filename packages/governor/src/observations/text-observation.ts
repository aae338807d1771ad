import { TextFingerprint } from './fingerprint.ts';

/** A reply without calls, reduced to fingerprints. */
export type TextObservation = {
  readonly kind: 'text';
  readonly seq: number;
  /** Equal for texts that differ only in case, digits, whitespace and punctuation. */
  readonly fingerprint: string;
  /** A sample of word trigrams, used to estimate how much two texts have in common. */
  readonly sample: readonly number[];
  /** Whether the host rejected the reply and told the model why. */
  readonly isRejected?: true;
};

const observedTextMax = 4_000;
const shingleSampleMax = 32;

/** Reduces the text of a reply to an observation; only its first characters count. */
export function observeText(seq: number, text: string): TextObservation {
  const words = text
    .slice(0, observedTextMax)
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
  const fingerprint = new TextFingerprint();
  for (const word of words) fingerprint.addExactly(`${word} `);
  return { kind: 'text', seq, fingerprint: fingerprint.toString(), sample: sampleShingles(words) };
}

/**
 * Estimates the similarity of two texts from 0 to 1: the share of common word trigrams among those with the smallest
 * fingerprints, a choice that does not depend on their position in the text.
 */
export function computeSimilarity(a: TextObservation, b: TextObservation): number {
  const smallest = [...new Set([...a.sample, ...b.sample])]
    .toSorted((x, y) => x - y)
    .slice(0, shingleSampleMax);
  if (smallest.length === 0) return a.fingerprint === b.fingerprint ? 1 : 0;
  const inA = new Set(a.sample);
  const inB = new Set(b.sample);
  return smallest.filter((each) => inA.has(each) && inB.has(each)).length / smallest.length;
}

function sampleShingles(words: readonly string[]): readonly number[] {
  const groups = new Set<number>();
  for (let index = 0; index + 2 < words.length; index += 1) {
    const fingerprint = new TextFingerprint();
    fingerprint.addExactly(words.slice(index, index + 3).join(' '));
    groups.add(fingerprint.toNumber());
  }
  return [...groups].toSorted((x, y) => x - y).slice(0, shingleSampleMax);
}

/** Longer messages say more than that the work should continue. */
const continuationTextMax = 80;

const continuationPattern =
  /^(?:(?:yes|yeah|yep|ok|okay|sure|fine|right|correct|please|thanks|thank you|continue|proceed|resume|next|do it|do that|do so|go on|go ahead|carry on|keep going|keep working|sounds good|that works|that is (?:fine|correct|right)|with (?:it|that|the task|the work)|working)(?:[\s,.!;:–—-]+|$))+$/i;

/**
 * Whether a user message only confirms or asks to continue. Such a message adds nothing new, so a loop may continue
 * across it. "Try again" does not count, because it asks for a repetition.
 */
export function isContinuationMessage(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.length <= continuationTextMax && (trimmed === '' || continuationPattern.test(trimmed));
}
