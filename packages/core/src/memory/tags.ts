/** A name this long is not a name but content. */
const charsMax = 500;

export type Tags = { readonly key: string } | { readonly fault: string };

/**
 * The tags of an entry as its one key, the same for working memory and storage: split at commas, trimmed, white space
 * and control characters made underscores, sorted and without repetition, so that `b, a` and `a,b` are one key. Case
 * stays as it was written.
 */
export function normalTags(given: unknown): Tags {
  const texts = typeof given === 'string' ? [given] : given;
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) return { fault: missing };
  if (texts.reduce((sum, text) => sum + text.length, 0) > charsMax) return { fault: tooLong };
  const tags = texts.flatMap((text) => text.split(',')).map(normalTag);
  const named = tags.filter((tag) => tag !== '');
  if (named.length === 0) return { fault: missing };
  return { key: keyOf(named) };
}

/** Tags that are normal already, as a key. */
export function keyOf(tags: readonly string[]): string {
  return [...new Set(tags)].toSorted().join(',');
}

export function tagsOf(key: string): readonly string[] {
  return key.split(',');
}

/** Whole characters only, since half of a pair cannot be written to any file, and one spelling for what looks the same. */
function normalTag(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .trim()
    .replaceAll(/[\s\p{Cc}]/gu, '_');
}

const missing =
  'it has no tags. Give the name of the information, such as "project_plan"; several tags with commas between them';
const tooLong = `its tags are longer than ${charsMax} characters. Tags are a short name; put the content into the value`;
