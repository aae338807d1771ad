import {
  entriesOf,
  findEntry,
  tokensOf,
  type EntryKind,
  type Json,
  type Memory,
  type Session,
  type StoredEntry,
} from '@pawl/core';
import type { Entry, Track } from '../../app/track.ts';
import { memoryMax } from '../timeline/history-model.ts';
import { countUpTo, keptUp } from '../timeline/kept-up.ts';

/** An entry of working memory as it is shown. */
export type Held = {
  readonly key: string;
  readonly value: Json;
  readonly kind: EntryKind;
  readonly isPinned: boolean;
  readonly addedAt: number;
  readonly touchedAt: number;
  readonly tokens: number;
  readonly bytes: number;
  /** Of all that is held. */
  readonly share: number;
};

export type Gauge = { readonly used: number; readonly max: number; readonly share: number };

export type MemoryShown = {
  /** Null where the profile has no working memory. */
  readonly held: {
    readonly entries: readonly Held[];
    readonly gauge: Gauge;
    /** From here on nothing is added unless room is made for it; null where that is off. */
    readonly hardLimit: number | null;
    /** What all of it takes of the model's window; null where nobody knows how large that is. */
    readonly ofWindow: number | null;
    readonly pinned: number;
  } | null;
  /** How full the model's window is; null where nobody knows how large it is. */
  readonly window: (Gauge & { readonly fullAt: number }) | null;
};

/** A window this full is too full to ask with: the reply needs room as well. As the machine has it. */
export const fullShare = 0.9;

/** Working memory and the model's window after an event, the largest entries first. */
export function memoryShown({ memory, window, settings: { windowTokens } }: Session): MemoryShown {
  return {
    held: memory === null ? null : heldIn(memory, windowTokens),
    window:
      window === null || windowTokens === null
        ? null
        : { ...gauge(window.tokens, windowTokens), fullAt: Math.floor(windowTokens * fullShare) },
  };
}

function heldIn(memory: NonNullable<Session['memory']>, windowTokens: number | null): MemoryShown['held'] {
  const tokens = tokensOf(memory);
  const { hardLimit } = memory.settings;
  const entries = entriesOf(memory)
    .map((entry): Held => ({
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
    gauge: gauge(tokens, memoryMax(memory.settings)),
    hardLimit: hardLimit.enable ? hardLimit.maxTokens : null,
    ofWindow: windowTokens === null || windowTokens <= 0 ? null : tokens / windowTokens,
    pinned: entries.filter(({ isPinned }) => isPinned).length,
  };
}

function gauge(used: number, max: number): Gauge {
  return { used, max, share: max > 0 ? used / max : 1 };
}

/** An entry that left working memory for storage. */
export type Moved = { readonly key: string; readonly tokens: number; readonly why: string };

/** A time that room was made: what left working memory, or how much shorter the conversation became. */
export type Paging = {
  readonly seq: number;
  readonly at: number;
  readonly moved: readonly Moved[];
  readonly freedTokens: number;
  /** Why room was to be made, where somebody said. */
  readonly reason: string | null;
};

/** Every time that room was made in a session so far. */
class Pagings {
  readonly all: Paging[] = [];
  readonly #track: Track;
  #reason: string | null = null;

  constructor(track: Track) {
    this.#track = track;
  }

  take({ seq, event, actions, notes }: Entry): void {
    if (notes.some(({ type }) => type === 'refused')) return;
    if (event.type === 'paging-requested') this.#reason = event.reason;
    const note = notes.find(({ type }) => type === 'paged');
    if (note?.type === 'paged') {
      this.#add(seq, { at: note.at, moved: note.moved, freedTokens: note.freedTokens });
    } else if (event.type === 'paging-finished') {
      // Where nothing left working memory it is the conversation that became shorter.
      this.#add(seq, { at: event.at, moved: [], freedTokens: event.freedTokens });
    } else {
      const moved = actions.flatMap((action) =>
        action.type === 'store' ? this.#left(seq, action.entries) : [],
      );
      const freedTokens = moved.reduce((sum, { tokens }) => sum + tokens, 0);
      if (moved.length > 0) this.#add(seq, { at: event.at, moved, freedTokens });
    }
    for (const action of actions) if (action.type === 'page-memory') this.#reason = action.reason;
  }

  #add(seq: number, paging: Omit<Paging, 'seq' | 'reason'>): void {
    this.all.push({ seq, reason: this.#reason, ...paging });
    this.#reason = null;
  }

  /** Of what went to storage, what is not in working memory any more: the rest was only saved. */
  #left(seq: number, entries: readonly StoredEntry[]): readonly Moved[] {
    const [before, after] = [this.#track.at(seq - 1).memory, this.#track.at(seq).memory];
    if (before === null || after === null) return [];
    return entries.flatMap(({ key }) => {
      const entry = heldUnder(before, key);
      if (entry === undefined || heldUnder(after, key) !== undefined) return [];
      return [{ key, tokens: Math.floor(entry.bytes / 4), why: 'made room for something new' }];
    });
  }
}

/** A stub only says where something went. */
function heldUnder(memory: Memory, key: string): ReturnType<typeof findEntry> {
  const entry = findEntry(memory, key);
  return entry?.kind === 'stub' ? undefined : entry;
}

const pagingsOf: (track: Track) => Pagings = keptUp((track) => new Pagings(track));

/** Up to an event, the newest first. */
export function pagingsUpTo(track: Track, at: number): readonly Paging[] {
  const { all } = pagingsOf(track);
  return all.slice(0, countUpTo(all, at)).toReversed();
}
