import { entriesOf, entryTokens, tokensOf, type Memory } from './memory.ts';

/** A list longer than this helps nobody; the rest is counted. */
const listedMax = 200;
const similarMax = 5;

/** What is in working memory, a line for each entry, for a model to choose from. */
export function listed(memory: Memory): string {
  const entries = entriesOf(memory);
  const lines = entries.slice(0, listedMax).map((entry) => {
    const marks = entry.kind === 'stub' ? ' (in storage)' : entry.pinned ? ' (pinned)' : '';
    return `${entry.key}, ${entryTokens(entry)} tokens${marks}: ${shown(entry.value, 80)}`;
  });
  const more = entries.length > listedMax ? [`and ${entries.length - listedMax} more`] : [];
  const head = `Working memory holds ${entries.length} entries, ${tokensOf(memory)} tokens.`;
  return [head, ...lines, ...more].join('\n');
}

/** Every entry with its whole value, for a person who looks into the memory. */
export function dumpMemory(memory: Memory): string {
  return entriesOf(memory)
    .map(({ key, value }) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

/** Any value on one line, cut if it is long. Never throws. */
export function shown(value: unknown, charsMax: number): string {
  const text = typeof value === 'string' ? value : printed(value);
  const line = text.slice(0, charsMax).replaceAll(/\s+/g, ' ').trim();
  return text.length > charsMax ? `${line}…` : line;
}

/** For a "did you mean": keys of which one contains the other, whatever their case. */
export function similarKeys(memory: Memory, key: string): string {
  const wanted = key.toLowerCase();
  const isSimilar = (other: string): boolean => other.includes(wanted) || wanted.includes(other);
  const keys = entriesOf(memory).map((entry) => entry.key);
  const similar = keys.filter((each) => isSimilar(each.toLowerCase())).slice(0, similarMax);
  return similar.length === 0 ? '' : ` There is ${similar.join('; ')}.`;
}

/** As JSON; or only the type of what has none, such as a bigint or a value that contains itself. */
export function printed(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}
