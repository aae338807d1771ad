import { isLog, logKeyOf, withoutGaps } from './logs.ts';
import {
  entriesOf,
  entryTokens,
  findEntry,
  tokensOf,
  type Entry,
  type EntryKind,
  type Memory,
} from './memory.ts';
import { pagedSave, type StorageSave } from './storage-entry.ts';
import { folded, stubbed, stubKeys, stubsMax, withWords } from './stub.ts';

export type PagingOptions = {
  /** Nothing is moved below so many tokens. */
  readonly limit: number;
  /** Moving stops at so many tokens or fewer; four fifths of the limit if left out. */
  readonly target?: number;
  readonly at: number;
  /** What a model says about what is moved. It is left out where there is no room for it. */
  readonly words?: string;
  /** The key of an entry that must stay, pinned or not. */
  readonly stays?: string;
};

export type Moved = {
  readonly key: string;
  readonly tokens: number;
  readonly why: 'old log' | 'least recently used' | 'asked for';
};

export type Paged = {
  readonly memory: Memory;
  readonly moved: readonly Moved[];
  /** The saves that must be carried out before `memory` is put to use: then nothing is ever in neither place. */
  readonly effects: readonly StorageSave[];
  /** Tokens before. */
  readonly held: number;
  readonly freed: number;
  /** Whether what is left is below the limit. */
  readonly fits: boolean;
  /** Paging was due and freed less than a tenth of what was held: it will be due again at once. */
  readonly freedTooLittle: boolean;
};

/**
 * Makes room by moving entries to storage, as few as it takes, in the order of `firstToGo`. Pinned entries and stubs stay.
 * The work is that of sorting the entries once.
 */
export function page(memory: Memory, options: PagingOptions): Paged {
  const { limit, at, words } = options;
  const target = Math.min(options.target ?? Math.floor(limit * 0.8), limit - 1);
  const held = tokensOf(memory);
  if (held < limit) return outcome(memory, [], { memory, limit, at });
  const going = movable(memory, options.stays);
  const stubs = stubKeys(memory);
  let left = memory;
  let count = 0;
  for (; count < going.length && tokensOf(left) > target; count += 1) {
    const { entry } = going[count] as Candidate;
    left = stubbed(left, entry, at);
    if (findEntry(left, entry.key) !== undefined) stubs.push(entry.key);
    if (stubs.length > stubsMax) left = folded(left, stubs.shift() as string, at);
  }
  while (stubs.length > 0 && tokensOf(left) > target) left = folded(left, stubs.shift() as string, at);
  // A handful of tiny entries can be smaller than the line that would say where they went.
  if (tokensOf(left) >= held) return outcome(memory, [], { memory, limit, at });
  const told = words === undefined ? left : withWords(left, words, at);
  const after = withoutGaps(tokensOf(told) < Math.min(held, limit) ? told : left);
  return outcome(memory, going.slice(0, count), { memory: after, limit, at });
}

type Candidate = { readonly entry: Entry; readonly why: Moved['why'] };

function movable(memory: Memory, stays: string | undefined): readonly Candidate[] {
  const entries = entriesOf(memory);
  const newestOf = new Map<EntryKind, Entry>();
  for (const entry of entries) if (isLog(entry.kind)) newestOf.set(entry.kind, entry);
  return entries
    .filter(({ kind, pinned, key }) => kind !== 'stub' && !pinned && key !== stays)
    .map((entry): Candidate => {
      const isOldLog = isLog(entry.kind) && newestOf.get(entry.kind) !== entry;
      return { entry, why: isOldLog ? 'old log' : 'least recently used' };
    })
    .toSorted(firstToGo);
}

/**
 * Old thoughts go first: they have been acted on. Then what has not been touched for longest; of entries touched at the
 * same moment the larger one, since fewer need to go; and then whichever came first, so that there is only one order.
 */
function firstToGo(a: Candidate, b: Candidate): number {
  return (
    Number(b.why === 'old log') - Number(a.why === 'old log') ||
    a.entry.touchedAt - b.entry.touchedAt ||
    b.entry.bytes - a.entry.bytes ||
    a.entry.order - b.entry.order
  );
}

function outcome(
  before: Memory,
  gone: readonly Candidate[],
  after: { readonly memory: Memory; readonly limit: number; readonly at: number },
): Paged {
  const held = tokensOf(before);
  const left = tokensOf(after.memory);
  return {
    memory: after.memory,
    moved: gone.map(({ entry, why }) => ({ key: entry.key, tokens: entryTokens(entry), why })),
    effects: gone.map(({ entry }) => pagedSave(entry, logKeyOf(before, entry.kind), after.at)),
    held,
    freed: held - left,
    fits: left < after.limit,
    freedTooLittle: held >= after.limit && held - left < held / 10,
  };
}
