import {
  type Action,
  type ConversationMessage,
  type Event,
  getConversation,
  type Note,
  type Session,
  step,
  type TurnStatus,
  type ConversationHistory,
  toItemArray,
} from '@pawl/core';
import type { NumberedEvent } from './api-types.ts';
import { addUsageTotals, emptyUsageTotals, type UsageTotals } from './usage-totals.ts';

/** One event with the result of its step. */
export type ReplayedEntry = {
  readonly seq: number;
  readonly event: Event;
  /** Status after the event. */
  readonly status: TurnStatus;
  /** Mode after the event; null if the profile has no modes. */
  readonly mode: string | null;
  readonly actions: readonly Action[];
  readonly notes: readonly Note[];
  /** Messages that this event appended to the conversation. */
  readonly addedMessages: readonly ConversationMessage[];
  /** Usage totals after the event. */
  readonly totals: UsageTotals;
};

/** A snapshot is stored after this many events. Snapshots are cheap because sessions share structure. */
const snapshotInterval = 64;

/**
 * Replays the events of a session as they arrive, and provides the result of each step and the state after any event.
 * Events are added in slices so that the page stays responsive.
 */
export class ReplayedTimeline {
  readonly created: Session;
  readonly #entries: ReplayedEntry[] = [];
  /** One snapshot per `snapshotInterval` events; the first is the initial session. */
  readonly #snapshots: Session[];
  #latest: Session;
  #lastRequested: { readonly index: number; readonly session: Session };

  constructor(created: Session) {
    this.created = created;
    this.#latest = created;
    this.#snapshots = [created];
    this.#lastRequested = { index: -1, session: created };
  }

  /** Skips known events. Throws an `EventGapError` with the current head if events are missing. */
  add(events: readonly NumberedEvent[]): void {
    for (const { seq, event } of events) {
      if (seq <= this.head) continue;
      if (seq !== this.head + 1) throw new EventGapError(this.head, seq);
      const { session, actions, notes } = step(this.#latest, event);
      const addedMessages = listAddedItems(getConversation(this.#latest), getConversation(session));
      const { status } = session.turn;
      const totals = addUsageTotals(this.totalsAt(this.head), event);
      const mode = session.mode?.state ?? null;
      this.#latest = session;
      this.#entries.push({ seq, event, status, mode, actions, notes, addedMessages, totals });
      if (this.#entries.length % snapshotInterval === 0) this.#snapshots.push(session);
    }
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Number of the last event; before the first event, that of the initial session. */
  get head(): number {
    return this.#entries.at(-1)?.seq ?? this.created.seq;
  }

  get first(): number {
    return this.created.seq + 1;
  }

  get latest(): Session {
    return this.#latest;
  }

  /** Returns the usage totals after the given event. */
  totalsAt(seq: number): UsageTotals {
    return this.#entries[Math.min(Math.trunc(seq) - this.first, this.length - 1)]?.totals ?? emptyUsageTotals;
  }

  entry(index: number): ReplayedEntry {
    const entry = this.#entries[index];
    if (entry === undefined)
      throw new RangeError(`Event index ${index} is out of range: the timeline has ${this.length} events.`);
    return entry;
  }

  /** Returns the index of the given event, or -1 if there is none. */
  indexOf(seq: number): number {
    const index = seq - this.first;
    return index >= 0 && index < this.length && Number.isInteger(index) ? index : -1;
  }

  /** Returns the state after the given event; a number out of range gives the nearest state. */
  stateAt(seq: number): Session {
    const index = Math.min(Math.trunc(seq) - this.first, this.length - 1);
    if (!(index >= 0)) return this.created;
    if (index === this.length - 1) return this.#latest;
    return this.#replayTo(index);
  }

  /** Replays from the nearest earlier state available: a snapshot or the state requested last. */
  #replayTo(index: number): Session {
    const block = Math.floor((index + 1) / snapshotInterval);
    let from = block * snapshotInterval - 1;
    let session = this.#snapshots[block] ?? this.created;
    if (this.#lastRequested.index > from && this.#lastRequested.index <= index) {
      from = this.#lastRequested.index;
      session = this.#lastRequested.session;
    }
    for (let next = from + 1; next <= index; next += 1) {
      session = step(session, this.entry(next).event).session;
    }
    this.#lastRequested = { index, session };
    return session;
  }
}

/** Events are missing: the caller must add the events after `head` first. */
export class EventGapError extends Error {
  override readonly name = 'GapError';
  readonly head: number;

  constructor(head: number, seq: number) {
    super(`Event ${seq} follows event ${head}: the events in between are missing.`);
    this.head = head;
  }
}

/** Returns the items appended to a conversation since an earlier version, or none if it became shorter. */
function listAddedItems<Item>(
  before: ConversationHistory<Item>,
  after: ConversationHistory<Item>,
): readonly Item[] {
  const count = after.length - before.length;
  if (count <= 0) return noItems;
  if (count <= after.tail.length) return after.tail.slice(-count);
  // The tail filled up and became a leaf, so the earlier additions are in the last leaf.
  const latest = [...getLastLeaf(after), ...after.tail];
  return count <= latest.length ? latest.slice(-count) : toItemArray(after).slice(-count);
}

const noItems: readonly never[] = [];

function getLastLeaf<Item>({ root, depth }: ConversationHistory<Item>): readonly Item[] {
  let node: readonly unknown[] = root;
  for (let level = depth; level > 0; level -= 1) {
    const last = node.at(-1);
    if (!Array.isArray(last)) return noItems;
    node = last as readonly unknown[];
  }
  return node as readonly Item[];
}
