/** Longer tags are content rather than a name. */
const tagCharactersMax = 500;

export type NormalizedTags = { readonly key: string } | { readonly problem: string };

/**
 * Normalizes the tags of an entry to its key, which is the same in working memory and storage: split at commas,
 * trimmed, with whitespace and control characters as underscores, sorted and deduplicated, so that `b, a` and `a,b` are
 * one key. Case is preserved.
 */
export function normalizeTags(input: unknown): NormalizedTags {
  const texts = typeof input === 'string' ? [input] : input;
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string'))
    return { problem: missingTagsProblem };
  if (texts.reduce((sum, text) => sum + text.length, 0) > tagCharactersMax)
    return { problem: tagsTooLongProblem };
  const tags = texts.flatMap((text) => text.split(',')).map(normalizeTag);
  const named = tags.filter((tag) => tag !== '');
  if (named.length === 0) return { problem: missingTagsProblem };
  return { key: toTagKey(named) };
}

/** Joins normalized tags to a key. */
export function toTagKey(tags: readonly string[]): string {
  return [...new Set(tags)].toSorted().join(',');
}

export function parseTagKey(key: string): readonly string[] {
  return key.split(',');
}

/**
 * Replaces lone surrogates, because they cannot be written to a file, and normalizes different spellings of the same
 * characters.
 */
function normalizeTag(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .trim()
    .replaceAll(/[\s\p{Cc}]/gu, '_');
}

const missingTagsProblem =
  'it has no tags. Give the name of the information, such as "project_plan"; several tags with commas between them';
const tagsTooLongProblem = `its tags are longer than ${tagCharactersMax} characters. Tags are a short name; put the content into the value`;
