import { step, type Action, type Event, type Note, type Session, type TurnStatus } from '@pawl/core';
import {
  addEventTotals,
  diffSpans,
  emptyOutcome,
  emptyTotals,
  listDecisions,
  listTranscriptItems,
  updateOutcome,
  type SessionDecision,
  type SessionTotals,
  type SpanChange,
  type TranscriptItem,
  type TurnOutcome,
} from '@pawl/core/projections';
import type { NumberedEvent } from './api-types.ts';

/** One event with the result of its step and what the projections derive from it. */
export type ReplayedEntry = {
  readonly seq: number;
  readonly event: Event;
  /** Status after the event. */
  readonly status: TurnStatus;
  /** Mode after the event; null if the profile has no modes. */
  readonly mode: string | null;
  readonly actions: readonly Action[];
  readonly notes: readonly Note[];
  /** What happened. */
  readonly items: readonly TranscriptItem[];
  readonly decisions: readonly SessionDecision[];
  readonly spans: SpanChange;
  /** Totals and outcome of the current turn after the event. */
  readonly totals: SessionTotals;
  readonly outcome: TurnOutcome;
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
      const after = step(this.#latest, event);
      const replayed = { seq, event, before: this.#latest, after };
      const { session, actions, notes } = after;
      const items = listTranscriptItems(replayed);
      this.#entries.push({
        seq,
        event,
        status: session.turn.status,
        mode: session.mode?.state ?? null,
        actions,
        notes,
        items,
        decisions: listDecisions(replayed, items),
        spans: diffSpans(replayed),
        totals: addEventTotals(this.totalsAt(this.head), event),
        outcome: updateOutcome(this.outcome, replayed),
      });
      this.#latest = session;
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

  /** The outcome of the current turn so far. */
  get outcome(): TurnOutcome {
    return this.#entries.at(-1)?.outcome ?? emptyOutcome;
  }

  /** Returns the totals after the given event. */
  totalsAt(seq: number): SessionTotals {
    return this.#entries[Math.min(Math.trunc(seq) - this.first, this.length - 1)]?.totals ?? emptyTotals;
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
