import { listEntries, countEntryTokens, countMemoryTokens, type WorkingMemory } from './memory.ts';

/** Longer lists are truncated; the remaining entries are counted. */
const listedEntriesMax = 200;
const similarKeysMax = 5;

/** Lists working memory, one line per entry, for the model to choose from. */
export function formatMemoryList(memory: WorkingMemory): string {
  const entries = listEntries(memory);
  const lines = entries.slice(0, listedEntriesMax).map((entry) => {
    const label = entry.kind === 'stub' ? ' (in storage)' : entry.pinned ? ' (pinned)' : '';
    return `${entry.key}, ${countEntryTokens(entry)} tokens${label}: ${previewValue(entry.value, 80)}`;
  });
  const more = entries.length > listedEntriesMax ? [`and ${entries.length - listedEntriesMax} more`] : [];
  const heading = `Working memory holds ${entries.length} entries, ${countMemoryTokens(memory)} tokens.`;
  return [heading, ...lines, ...more].join('\n');
}

/** Lists every entry with its whole value, for a person who inspects the memory. */
export function dumpMemory(memory: WorkingMemory): string {
  return listEntries(memory)
    .map(({ key, value }) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

/** Formats any value on one line, truncated if it is long. Never throws. */
export function previewValue(value: unknown, charsMax: number): string {
  const text = typeof value === 'string' ? value : stringifySafely(value);
  const line = text.slice(0, charsMax).replaceAll(/\s+/g, ' ').trim();
  return text.length > charsMax ? `${line}…` : line;
}

/** Suggests keys of which one contains the other, ignoring case. */
export function suggestSimilarKeys(memory: WorkingMemory, key: string): string {
  const wanted = key.toLowerCase();
  const isSimilar = (other: string): boolean => other.includes(wanted) || wanted.includes(other);
  const keys = listEntries(memory).map((entry) => entry.key);
  const similar = keys.filter((each) => isSimilar(each.toLowerCase())).slice(0, similarKeysMax);
  return similar.length === 0 ? '' : ` There is ${similar.join('; ')}.`;
}

/** Serializes a value as JSON, or returns its type if that is impossible, as for a bigint or a circular value. */
export function stringifySafely(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}
