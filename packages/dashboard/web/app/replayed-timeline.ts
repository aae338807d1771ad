import {
  type Action,
  type ConversationMessage,
  type Event,
  getConversation,
  type Note,
  type Session,
  step,
  type TurnStatus,
} from '@pawl/core';
import { listAddedItems } from './added-items.ts';
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
  readonly joined: readonly ConversationMessage[];
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
  #now: Session;
  #lastAsked: { readonly index: number; readonly session: Session };

  constructor(created: Session) {
    this.created = created;
    this.#now = created;
    this.#snapshots = [created];
    this.#lastAsked = { index: -1, session: created };
  }

  /** Skips known events. Throws an `EventGapError` with the current head if events are missing. */
  add(events: readonly NumberedEvent[]): void {
    for (const { seq, event } of events) {
      if (seq <= this.head) continue;
      if (seq !== this.head + 1) throw new EventGapError(this.head, seq);
      const { session, actions, notes } = step(this.#now, event);
      const joined = listAddedItems(getConversation(this.#now), getConversation(session));
      const { status } = session.turn;
      const totals = addUsageTotals(this.totalsAt(this.head), event);
      const mode = session.mode?.state ?? null;
      this.#now = session;
      this.#entries.push({ seq, event, status, mode, actions, notes, joined, totals });
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

  get now(): Session {
    return this.#now;
  }

  /** Returns the usage totals after the given event. */
  totalsAt(seq: number): UsageTotals {
    return this.#entries[Math.min(Math.trunc(seq) - this.first, this.length - 1)]?.totals ?? emptyUsageTotals;
  }

  entry(index: number): ReplayedEntry {
    const found = this.#entries[index];
    if (found === undefined) throw new RangeError(`There is no event at place ${index} of ${this.length}.`);
    return found;
  }

  /** Returns the index of the given event, or -1 if there is none. */
  indexOf(seq: number): number {
    const index = seq - this.first;
    return index >= 0 && index < this.length && Number.isInteger(index) ? index : -1;
  }

  /** Returns the state after the given event; a number out of range gives the nearest state. */
  at(seq: number): Session {
    const index = Math.min(Math.trunc(seq) - this.first, this.length - 1);
    if (!(index >= 0)) return this.created;
    if (index === this.length - 1) return this.#now;
    return this.#stepTo(index);
  }

  /** Replays from the nearest earlier state available: a snapshot or the state requested last. */
  #stepTo(index: number): Session {
    const block = Math.floor((index + 1) / snapshotInterval);
    let from = block * snapshotInterval - 1;
    let session = this.#snapshots[block] ?? this.created;
    if (this.#lastAsked.index > from && this.#lastAsked.index <= index) {
      from = this.#lastAsked.index;
      session = this.#lastAsked.session;
    }
    for (let next = from + 1; next <= index; next += 1) {
      session = step(session, this.entry(next).event).session;
    }
    this.#lastAsked = { index, session };
    return session;
  }
}

/** Events are missing: the caller must add the events after `head` first. */
export class EventGapError extends Error {
  override readonly name = 'GapError';
  readonly head: number;

  constructor(head: number, came: number) {
    super(`Event ${came} came after event ${head}: what lies between is missing.`);
    this.head = head;
  }
}
