import { fold, isStopWord, stem } from '../search/words.ts';
import { subjectOf } from './librarian-goal.ts';
import type { Keyword } from './librarian-keywords.ts';

/** How much a text reads like an answer to the goal; the words it has are counted elsewhere. */
export type Likeness = {
  /** From below 0 to about 2. */
  of(text: string, heading: string): number;
  /** Whether it says what the thing asked about is, or declares it. */
  defines(text: string): boolean;
};

export function likenessTo(goal: string, keywords: readonly Keyword[]): Likeness {
  const subject = subjectOf(goal);
  const definitions = definitionsOf(subject, keywords);
  const phrases = phrasesOf(goal, keywords);
  const defines = (text: string) => definitions.some((pattern) => pattern.test(text));
  const isAbout = (heading: string) => subject !== null && isTitle(heading, subject);
  const of = (text: string, heading: string) => {
    const flat = flatten(text);
    const said = phrases.filter((phrase) => flat.includes(phrase)).length;
    const explains = defines(text) || isAbout(heading) ? 1.6 : 0;
    return explains + Math.min(1, said / 2) * 0.6 - (isTable(text) ? 0.4 : 0);
  };
  return { of, defines };
}

/** "A pawl is …" at the beginning of a sentence for "What is a pawl?", and for a name the place that declares it. */
function definitionsOf(subject: string | null, keywords: readonly Keyword[]): readonly RegExp[] {
  const names = keywords.map(({ term }) => term).filter((term) => /^[\p{L}\p{N}_]+$/u.test(term));
  const patterns = names.map((name) => new RegExp(`\\b(?:${declaring})\\s+${name}\\b`, 'iu'));
  if (subject === null || !names.includes(subject)) return patterns;
  const article = '(?:(?:an?|the|each|every)\\s+)?';
  const verb = '(?:is|are|means|stands\\s+for)\\s';
  return [
    ...patterns,
    new RegExp(`${sentenceStart}${article}[*_"\`]*${subject}s?[*_"\`]*\\s+${verb}`, 'imu'),
  ];
}

const declaring = 'function|class|const|let|type|interface|enum|def|fn|func|struct|trait|module';

/** At the start of a line what marks a list, quote or comment may come first. */
const sentenceStart = '(?:^[\\s\\-*>/#|\\d.]*|[.!?:]\\s+)';

/** "4. The governor" is about the governor. */
function isTitle(heading: string, subject: string): boolean {
  const words = heading.match(/\p{L}[\p{L}\p{N}]*/gu) ?? [];
  const telling = words.filter((word) => !isStopWord(word)).map(stem);
  return telling.length === 1 && telling[0] === stem(subject);
}

/** Three words of the goal in a row, small ones included, with a keyword among them: "after a crash". */
function phrasesOf(goal: string, keywords: readonly Keyword[]): readonly string[] {
  const terms = new Set(keywords.map(({ term }) => fold(term)));
  const words = flatten(goal).trim().split(' ').slice(0, 60);
  return words
    .map((_, index) => words.slice(index, index + 3))
    .filter((three) => three.length === 3 && three.some((word) => terms.has(word)))
    .map((three) => ` ${three.join(' ')} `);
}

function flatten(text: string): string {
  return ` ${fold(text).replace(/[^\p{L}\p{N}]+/gu, ' ')} `;
}

/** A row of a table makes little sense without its head. */
function isTable(text: string): boolean {
  const lines = text.split('\n');
  return lines.filter((line) => /^\s*\|.*\|\s*$/.test(line)).length * 2 > lines.length;
}
