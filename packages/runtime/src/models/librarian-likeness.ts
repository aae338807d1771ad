import { foldWord, isStopWord, stemWord } from '../search/words.ts';
import { findSubject } from './librarian-goal.ts';
import type { GoalKeyword } from './librarian-keywords.ts';

/** Scores how much a text reads like an answer to the goal, independently of keyword matches. */
export type AnswerLikeness = {
  /** From below 0 to about 2. */
  score(text: string, heading: string): number;
  /** Whether the text defines or declares the subject of the goal. */
  defines(text: string): boolean;
};

export function createAnswerLikeness(goal: string, keywords: readonly GoalKeyword[]): AnswerLikeness {
  const subject = findSubject(goal);
  const definitions = buildDefinitionPatterns(subject, keywords);
  const phrases = extractPhrases(goal, keywords);
  const defines = (text: string) => definitions.some((pattern) => pattern.test(text));
  const isAbout = (heading: string) => subject !== null && isSubjectTitle(heading, subject);
  const score = (text: string, heading: string) => {
    const flat = flattenText(text);
    const matched = phrases.filter((phrase) => flat.includes(phrase)).length;
    const definitionScore = defines(text) || isAbout(heading) ? 1.6 : 0;
    return definitionScore + Math.min(1, matched / 2) * 0.6 - (isTableText(text) ? 0.4 : 0);
  };
  return { score, defines };
}

/** Patterns for "A pawl is …" at the start of a sentence, and for declarations of a keyword in code. */
function buildDefinitionPatterns(
  subject: string | null,
  keywords: readonly GoalKeyword[],
): readonly RegExp[] {
  const names = keywords.map(({ term }) => term).filter((term) => /^[\p{L}\p{N}_]+$/u.test(term));
  const patterns = names.map((name) => new RegExp(`\\b(?:${declarationKeywords})\\s+${name}\\b`, 'iu'));
  if (subject === null || !names.includes(subject)) return patterns;
  const article = '(?:(?:an?|the|each|every)\\s+)?';
  const verb = '(?:is|are|means|stands\\s+for)\\s';
  return [
    ...patterns,
    new RegExp(`${sentenceStart}${article}[*_"\`]*${subject}s?[*_"\`]*\\s+${verb}`, 'imu'),
  ];
}

const declarationKeywords = 'function|class|const|let|type|interface|enum|def|fn|func|struct|trait|module';

/** At the start of a line, list, quote or comment markers may come first. */
const sentenceStart = '(?:^[\\s\\-*>/#|\\d.]*|[.!?:]\\s+)';

/** Whether a heading such as "4. The governor" consists only of the subject. */
function isSubjectTitle(heading: string, subject: string): boolean {
  const words = heading.match(/\p{L}[\p{L}\p{N}]*/gu) ?? [];
  const significant = words.filter((word) => !isStopWord(word)).map(stemWord);
  return significant.length === 1 && significant[0] === stemWord(subject);
}

/** Extracts sequences of three words from the goal that contain a keyword, such as "after a crash". */
function extractPhrases(goal: string, keywords: readonly GoalKeyword[]): readonly string[] {
  const terms = new Set(keywords.map(({ term }) => foldWord(term)));
  const words = flattenText(goal).trim().split(' ').slice(0, 60);
  return words
    .map((_, index) => words.slice(index, index + 3))
    .filter((phrase) => phrase.length === 3 && phrase.some((word) => terms.has(word)))
    .map((phrase) => ` ${phrase.join(' ')} `);
}

function flattenText(text: string): string {
  return ` ${foldWord(text).replace(/[^\p{L}\p{N}]+/gu, ' ')} `;
}

/** Table rows make little sense without their header. */
function isTableText(text: string): boolean {
  const lines = text.split('\n');
  return lines.filter((line) => /^\s*\|.*\|\s*$/.test(line)).length * 2 > lines.length;
}
