import { passageLimits } from './limits.ts';

/** Words of questions rather than of answers. Apostrophes are left out, as in `dont`. */
const stopWords: ReadonlySet<string> = new Set(
  (
    'a about after also am an and any are as at be because been before being but by can cant ' +
    'could did do does doesnt doing done dont during each for from ' +
    'get gets give given go goes going got had has hasnt have having he her here him his how i if im in into is isnt it ' +
    'its itself just know let lets like many may me might more most much must my need no nor not of off on one or other ' +
    'our out over own please same say says shall she should show so some such tell than that thats the their them then ' +
    'there these they this those through to too under until up upon us use used uses using very want was way we were ' +
    'what whats when where wheres which while who whom whose why will with within without work works would you your ' +
    'explain describe find list mean means happens happen called exactly ' +
    'contain contains defined declared implemented located'
  ).split(' '),
);

export function isStopWord(word: string): boolean {
  return stopWords.has(word.toLowerCase().replace(/['’]/g, ''));
}

/** Case and accents aside. */
export function fold(word: string): string {
  return word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** `createHTTPServer2` gives `create`, `HTTP`, `Server2`; a word without inner capitals gives itself. */
export function splitIdentifier(word: string): readonly string[] {
  return word
    .split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|_+/u)
    .filter((part) => part !== '');
}

/**
 * The end of an English word taken off, so that `stopping`, `stopped` and `stops` are one. Only for choosing lines to
 * show: the index has its own, finer stemmer.
 */
export function stem(word: string): string {
  const base = fold(word).replace(/(?<=.{3})(?:ies|ied|ing|ed|es|s)$/u, '');
  return base.replace(/(?<=.{3})[ey]$/u, '').replace(/([bdgklmnprt])\1$/u, '$1');
}

/** Scripts written without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** A fixed locale: which words a text has must not depend on the machine. */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

export function isUnspaced(text: string): boolean {
  return unspaced.test(text);
}

/** The words of a text in a script without spaces; short runs of Hiragana are grammar and left out. */
export function segment(text: string): readonly string[] {
  const words: string[] = [];
  for (const { segment: word, isWordLike } of segmenter.segment(text)) {
    if (isWordLike === true && !/^\p{Script=Hiragana}{1,3}$/u.test(word)) words.push(word);
  }
  return words;
}

/** An identifier this long is data, such as base64. */
const identifierCharsMax = 64;

/** What a reader sees in a text and the index's tokenizer does not: words inside identifiers and in unspaced scripts. */
export function hiddenWords(text: string): string {
  const hidden: string[] = [];
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (isUnspaced(word)) hidden.push(...segment(word));
    else if (word.length <= identifierCharsMax && /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u.test(word)) {
      hidden.push(...splitIdentifier(word));
    }
  }
  return hidden.join(' ').slice(0, 2 * passageLimits.chars);
}
