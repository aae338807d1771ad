import type { Json, Session } from '@pawl/core';
import {
  listEntries,
  findEntry,
  countMemoryTokens,
  type EntryKind,
  type WorkingMemory,
  type StoredEntry,
} from '@pawl/core/memory';
import type { ReplayedEntry, ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { fullWindowShare } from '../timeline/history-model.ts';
import { getMemoryLimit } from '../../../../core/src/memory/settings.ts';
import { countUntilEvent, createIncrementalFold } from '../../app/incremental-fold.ts';

/** An entry of working memory as displayed. */
export type MemoryEntryView = {
  readonly key: string;
  readonly value: Json;
  readonly kind: EntryKind;
  readonly isPinned: boolean;
  readonly addedAt: number;
  readonly touchedAt: number;
  readonly tokens: number;
  readonly bytes: number;
  /** Share of the total size of working memory. */
  readonly share: number;
};

export type UsageGauge = { readonly used: number; readonly max: number; readonly share: number };

export type MemoryViewModel = {
  /** Null if the profile has no working memory. */
  readonly workingMemory: {
    readonly entries: readonly MemoryEntryView[];
    readonly gauge: UsageGauge;
    /** Hard limit: above it, entries are added only after paging frees space; null if disabled. */
    readonly hardLimit: number | null;
    /** Share of the model's context window; null if its size is unknown. */
    readonly windowShare: number | null;
    readonly pinned: number;
  } | null;
  /** Usage of the model's context window; null if its size is unknown. */
  readonly window: (UsageGauge & { readonly fullAt: number }) | null;
};

/** Builds the state of working memory and of the context window after an event, largest entries first. */
export function buildMemoryViewModel({
  memory,
  window,
  settings: { windowTokens },
}: Session): MemoryViewModel {
  return {
    workingMemory: memory === null ? null : buildWorkingMemoryView(memory, windowTokens),
    window:
      window === null || windowTokens === null
        ? null
        : {
            ...createUsageGauge(window.tokens, windowTokens),
            fullAt: Math.floor(windowTokens * fullWindowShare),
          },
  };
}

function buildWorkingMemoryView(
  memory: NonNullable<Session['memory']>,
  windowTokens: number | null,
): MemoryViewModel['workingMemory'] {
  const tokens = countMemoryTokens(memory);
  const { hardLimit } = memory.settings;
  const entries = listEntries(memory)
    .map((entry): MemoryEntryView => ({
      key: entry.key,
      value: entry.value,
      kind: entry.kind,
      isPinned: entry.pinned,
      addedAt: entry.addedAt,
      touchedAt: entry.touchedAt,
      tokens: Math.floor(entry.bytes / 4),
      bytes: entry.bytes,
      share: memory.bytes > 0 ? entry.bytes / memory.bytes : 0,
    }))
    .toSorted((one, other) => other.bytes - one.bytes);
  return {
    entries,
    gauge: createUsageGauge(tokens, getMemoryLimit(memory.settings)),
    hardLimit: hardLimit.enable ? hardLimit.maxTokens : null,
    windowShare: windowTokens === null || windowTokens <= 0 ? null : tokens / windowTokens,
    pinned: entries.filter(({ isPinned }) => isPinned).length,
  };
}

function createUsageGauge(used: number, max: number): UsageGauge {
  return { used, max, share: max > 0 ? used / max : 1 };
}

/** An entry that was paged out to storage. */
export type PagedEntry = { readonly key: string; readonly tokens: number; readonly reason: string };

/** One paging operation: the entries moved to storage, or the tokens freed by compaction. */
export type PagingRecord = {
  readonly seq: number;
  readonly at: number;
  readonly moved: readonly PagedEntry[];
  readonly freedTokens: number;
  /** Why space was needed, if known. */
  readonly reason: string | null;
};

/** All paging operations of a session so far. */
class PagingHistory {
  readonly all: PagingRecord[] = [];
  readonly #timeline: ReplayedTimeline;
  #reason: string | null = null;

  constructor(timeline: ReplayedTimeline) {
    this.#timeline = timeline;
  }

  add({ seq, event, actions, notes }: ReplayedEntry): void {
    if (notes.some(({ type }) => type === 'refused')) return;
    if (event.type === 'paging-requested') this.#reason = event.reason;
    const note = notes.find(({ type }) => type === 'paged');
    if (note?.type === 'paged') {
      this.#add(seq, { at: note.at, moved: note.moved, freedTokens: note.freedTokens });
    } else if (event.type === 'paging-finished') {
      // If no entry was paged out, the conversation was compacted.
      this.#add(seq, { at: event.at, moved: [], freedTokens: event.freedTokens });
    } else {
      const moved = actions.flatMap((action) =>
        action.type === 'store' ? this.#listEvicted(seq, action.entries) : [],
      );
      const freedTokens = moved.reduce((sum, { tokens }) => sum + tokens, 0);
      if (moved.length > 0) this.#add(seq, { at: event.at, moved, freedTokens });
    }
    for (const action of actions) if (action.type === 'page-memory') this.#reason = action.reason;
  }

  #add(seq: number, paging: Omit<PagingRecord, 'seq' | 'reason'>): void {
    this.all.push({ seq, reason: this.#reason, ...paging });
    this.#reason = null;
  }

  /** Returns the stored entries that left working memory; the others were only saved. */
  #listEvicted(seq: number, entries: readonly StoredEntry[]): readonly PagedEntry[] {
    const [before, after] = [this.#timeline.stateAt(seq - 1).memory, this.#timeline.stateAt(seq).memory];
    if (before === null || after === null) return [];
    return entries.flatMap(({ key }) => {
      const entry = findHeldEntry(before, key);
      if (entry === undefined || findHeldEntry(after, key) !== undefined) return [];
      return [{ key, tokens: Math.floor(entry.bytes / 4), reason: 'evicted for a new entry' }];
    });
  }
}

/** Ignores stubs, which only point to storage. */
function findHeldEntry(memory: WorkingMemory, key: string): ReturnType<typeof findEntry> {
  const entry = findEntry(memory, key);
  return entry?.kind === 'stub' ? undefined : entry;
}

const getPagingHistory: (timeline: ReplayedTimeline) => PagingHistory = createIncrementalFold(
  (timeline) => new PagingHistory(timeline),
);

/** Lists the paging operations up to an event, newest first. */
export function listEarlierPagings(timeline: ReplayedTimeline, at: number): readonly PagingRecord[] {
  const { all } = getPagingHistory(timeline);
  return all.slice(0, countUntilEvent(all, at)).toReversed();
}
