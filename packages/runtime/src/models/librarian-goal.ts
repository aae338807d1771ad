import { termsOf } from '../search/terms.ts';

/** The words of the goal that say what it is about. */
export function keywordsOf(goal: string): readonly string[] {
  return termsOf(goal).map(({ text }) => text);
}

/** The `pawl` of "What is a pawl?"; null when the goal does not ask what something is. */
export function subjectOf(goal: string): string | null {
  const [, subject = ''] = subjectPattern.exec(goal) ?? [];
  return keywordsOf(goal).find((term) => term.toLowerCase() === subject.toLowerCase()) ?? null;
}

const subjectPattern =
  /\b(?:what(?:['’]s|\s+is|\s+are)|who\s+is|define|meaning\s+of)\s+(?:(?:an?|the)\s+)?["“`]?([\p{L}\p{N}_]+)/iu;
