import { conversationOf, step } from '@pawl/core';
import type { Action, Event, Message, Note, Session, TurnStatus } from '@pawl/core';
import { joinedSince } from './joined.ts';
import { addTo, nothingYet, type Totals } from './totals.ts';

/** One event and what came of it. */
export type Entry = {
  readonly seq: number;
  readonly event: Event;
  /** The state after the event. */
  readonly status: TurnStatus;
  /** The mode after the event; null where the profile has none. */
  readonly mode: string | null;
  readonly actions: readonly Action[];
  readonly notes: readonly Note[];
  /** The messages that joined the conversation with this event. */
  readonly joined: readonly Message[];
  /** What the session had taken by then. */
  readonly totals: Totals;
};

export type Numbered = { readonly seq: number; readonly event: Event };

/** Sessions share structure, so that a snapshot costs little; and no more than this many steps lie between two. */
const between = 64;

/**
 * A session replayed as its events come in: what each led to, and the state after any of them. It is fed piece by piece,
 * in slices that a page has time for.
 */
export class Track {
  readonly created: Session;
  readonly #entries: Entry[] = [];
  /** After every so many events; the first is the session as created. */
  readonly #snapshots: Session[];
  #now: Session;
  #lastAsked: { readonly index: number; readonly session: Session };

  constructor(created: Session) {
    this.created = created;
    this.#now = created;
    this.#snapshots = [created];
    this.#lastAsked = { index: -1, session: created };
  }

  /** Events that are known already are passed over; one that leaves a gap is not taken, and says where to go on from. */
  add(events: readonly Numbered[]): void {
    for (const { seq, event } of events) {
      if (seq <= this.head) continue;
      if (seq !== this.head + 1) throw new GapError(this.head, seq);
      const { session, actions, notes } = step(this.#now, event);
      const joined = joinedSince(conversationOf(this.#now), conversationOf(session));
      const { status } = session.turn;
      const totals = addTo(this.totalsAt(this.head), event);
      const mode = session.mode?.state ?? null;
      this.#now = session;
      this.#entries.push({ seq, event, status, mode, actions, notes, joined, totals });
      if (this.#entries.length % between === 0) this.#snapshots.push(session);
    }
  }

  get length(): number {
    return this.#entries.length;
  }

  /** The number of the last event; as long as there is none, that of the session as created. */
  get head(): number {
    return this.#entries.at(-1)?.seq ?? this.created.seq;
  }

  get first(): number {
    return this.created.seq + 1;
  }

  get now(): Session {
    return this.#now;
  }

  /** What the session had taken after the event of that number. */
  totalsAt(seq: number): Totals {
    return this.#entries[Math.min(Math.trunc(seq) - this.first, this.length - 1)]?.totals ?? nothingYet;
  }

  entry(index: number): Entry {
    const found = this.#entries[index];
    if (found === undefined) throw new RangeError(`There is no event at place ${index} of ${this.length}.`);
    return found;
  }

  /** The place of the event of that number; -1 where there is none. */
  indexOf(seq: number): number {
    const index = seq - this.first;
    return index >= 0 && index < this.length && Number.isInteger(index) ? index : -1;
  }

  /** The state after the event of that number; before the first and after the last there is the nearest one. */
  at(seq: number): Session {
    const index = Math.min(Math.trunc(seq) - this.first, this.length - 1);
    if (!(index >= 0)) return this.created;
    if (index === this.length - 1) return this.#now;
    return this.#stepTo(index);
  }

  /** From the nearest state before it that is at hand: a snapshot, or what was asked for last. */
  #stepTo(index: number): Session {
    const block = Math.floor((index + 1) / between);
    let from = block * between - 1;
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

/** Events are missing: whoever feeds the track gets those after `head` first. */
export class GapError extends Error {
  override readonly name = 'GapError';
  readonly head: number;

  constructor(head: number, came: number) {
    super(`Event ${came} came after event ${head}: what lies between is missing.`);
    this.head = head;
  }
}
