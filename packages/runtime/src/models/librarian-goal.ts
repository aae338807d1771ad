import { parseSearchTerms } from '../search/terms.ts';

/** Extracts the keywords of the goal. */
export function extractKeywords(goal: string): readonly string[] {
  return parseSearchTerms(goal).map(({ text }) => text);
}

/** Returns the subject of a definition question, such as `pawl` in "What is a pawl?"; null for other goals. */
export function findSubject(goal: string): string | null {
  const [, subject = ''] = subjectPattern.exec(goal) ?? [];
  return extractKeywords(goal).find((term) => term.toLowerCase() === subject.toLowerCase()) ?? null;
}

const subjectPattern =
  /\b(?:what(?:['’]s|\s+is|\s+are)|who\s+is|define|meaning\s+of)\s+(?:(?:an?|the)\s+)?["“`]?([\p{L}\p{N}_]+)/iu;
