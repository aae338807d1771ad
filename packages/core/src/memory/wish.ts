import { similarKeys } from './describe.ts';
import { isLog, logKeyOf, withoutGaps } from './logs.ts';
import { entryTokens, findEntry, tokensOf, withEntry, type Entry, type Memory } from './memory.ts';
import type { Moved } from './page.ts';
import { pagedSave, type StorageSave } from './storage-entry.ts';
import { folded, stubbed, stubKeys, stubsMax } from './stub.ts';

/** What a person may want of an entry: that it stays, that it may go again, or that it goes to storage now. */
export const memoryWishes = ['pin', 'unpin', 'evict'] as const;
export type MemoryWish = (typeof memoryWishes)[number];

export type Granted =
  | {
      readonly ok: true;
      readonly memory: Memory;
      readonly moved: readonly Moved[];
      readonly freed: number;
      /** Nothing is gone before these are carried out. */
      readonly effects: readonly StorageSave[];
    }
  | { readonly ok: false; readonly reason: string };

/** Does with an entry what a person asked for. The log of commands is for what the model does, so it tells nothing of it. */
export function grant(
  memory: Memory,
  { action, key, at }: { readonly action: MemoryWish; readonly key: string; readonly at: number },
): Granted {
  const entry = findEntry(memory, key);
  if (entry === undefined) return denied(missing(memory, key));
  if (entry.kind === 'stub') return denied(`${key} is in storage already`);
  if (action === 'evict') return evicted(memory, entry, at);
  if (isLog(entry.kind)) return denied(`${key} is part of a log, which turns over`);
  const pinned = action === 'pin';
  if (entry.pinned === pinned) return denied(`${key} is ${pinned ? 'pinned already' : 'not pinned'}`);
  return { ok: true, memory: withEntry(memory, { ...entry, pinned }), moved: [], freed: 0, effects: [] };
}

/** As paging does it, for this one. */
function evicted(memory: Memory, entry: Entry, at: number): Granted {
  const { key, kind, pinned } = entry;
  if (pinned) return denied(`${key} is pinned; unpin it first`);
  const left = stubbed(memory, entry, at);
  const stubs = stubKeys(left);
  const [oldest] = stubs;
  const short = stubs.length > stubsMax && oldest !== undefined ? folded(left, oldest, at) : left;
  const after = withoutGaps(short);
  return {
    ok: true,
    memory: after,
    moved: [{ key, tokens: entryTokens(entry), why: 'asked for' }],
    // What is tiny leaves behind a line that is longer.
    freed: Math.max(0, tokensOf(memory) - tokensOf(after)),
    effects: [pagedSave(entry, logKeyOf(memory, kind), at)],
  };
}

function denied(reason: string): Granted {
  return { ok: false, reason };
}

function missing(memory: Memory, key: string): string {
  const similar = similarKeys(memory, key).replace(/\.$/, '');
  return `there is no ${key} in working memory${similar === '' ? '' : `.${similar}`}`;
}
