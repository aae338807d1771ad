import type { Event, Json, Session, TurnStatus } from '@pawl/core';
import type { CommandChannel } from '../commands/channel.ts';

/**
 * Keeps sessions as their events, beyond the life of a process. What goes wrong rejects with a `StoreError`.
 *
 * Contract: a promise that resolves means kept. An append that is refused has changed nothing; after one that failed in
 * any other way nobody knows, and whoever goes on must claim and open the session first. Ephemeral events are never kept.
 */
export type Store = {
  /** Keeps a new session, settings and all, and claims it. */
  create(session: Session, owner: string, options?: CreateOptions): Promise<Position>;
  /**
   * Takes a session over, and gives it as it stands. Nobody who claimed it before can append from now on. With `from`, only
   * if nobody else has claimed it since the claim of that number; otherwise the one who did is named.
   */
  claim(id: string, owner: string, from?: number): Promise<OpenedSession>;
  /**
   * The session as its events tell it, without a claim to it. With `at`, as it was after the event of that number, 0
   * being as it was created; `head` is then that number too, so that nothing can be added to the past.
   */
  open(id: string, options?: { readonly at?: number }): Promise<OpenedSession>;
  /**
   * Adds all the events or none, if the session still stands at this position. `after` is what they lead to, by `step`.
   * The commands that they carry out are taken away with it.
   */
  append(id: string, at: Position, events: readonly Event[], after: Session): Promise<Position>;
  /** The events with a number above `after`, in order. */
  events(id: string, after?: number): AsyncIterable<KeptEvent>;
  /** Makes the snapshot anew, from the first event on. */
  snapshot(id: string): Promise<void>;
  /** Looks at every link of the chain. What is found damaged is kept apart; what is found sound is let go on. */
  verify(id: string): Promise<Verified>;
  /** Those last worked on first, 1,000 unless told otherwise. */
  list(options?: { readonly limit?: number }): Promise<readonly SessionSummary[]>;
  /** Resolves to whether there was such a session. */
  remove(id: string): Promise<boolean>;
  /** Who has claimed a session and when, the oldest first: the last hundred, and none for a session that is not there. */
  claims(id: string): Promise<readonly Claim[]>;
  /** What people ask of sessions that others run. It goes with the session, and is not part of a fork. */
  readonly commands: CommandChannel;
  close(): Promise<void>;
};

export type CreateOptions = {
  /** What whoever runs the session wants to find again, such as its folder. The store keeps it and never looks into it. */
  readonly about?: Json;
  readonly past?: Past;
  /** When it was created, in milliseconds; without it, when its turn began. */
  readonly createdAt?: number;
};

/** What a session begins with that goes on from another: events that lead from it to `after`, and where they come from. */
export type Past = { readonly events: readonly Event[]; readonly after: Session; readonly parent: Parent };

/** The session that another was forked from, and after which of its events. */
export type Parent = { readonly id: string; readonly at: number };

/**
 * Where a session stands, and under whose claim. `head` is the number of the last event; `fence` is the number of
 * the claim, higher than that of any earlier claim in the whole store. So one who lost the session can be told from the one
 * who took it over, even where a session was removed and made anew under the same id.
 */
export type Position = { readonly fence: number; readonly head: number };

/** Somebody took a session up, or took it over. It is only a record; what is refused is decided by the fence. */
export type Claim = {
  readonly owner: string;
  /** When, in milliseconds, by the clock of whatever keeps it. */
  readonly at: number;
  /** After which event, and what was going on there. */
  readonly head: number;
  readonly status: SessionSummary['status'];
};

/** `replayed` is how many events were stepped through: those since the last snapshot. */
export type OpenedSession = Position & {
  readonly session: Session;
  readonly owner: string;
  readonly about: Json;
  readonly parent: Parent | null;
  readonly replayed: number;
};

export type KeptEvent = { readonly seq: number; readonly event: Event; readonly hash: string };

export type Verified = { readonly ok: true; readonly head: number } | ({ readonly ok: false } & Damage);

/** The first event that is not as it was kept, and what is wrong with it. */
export type Damage = { readonly seq: number; readonly reason: string };

export type SessionSummary = {
  readonly id: string;
  readonly profile: string;
  /** The beginning of what the user said first; null as long as that is nothing. */
  readonly goal: string | null;
  readonly status: TurnStatus | 'damaged';
  readonly createdAt: number;
  /** The time of the last event, or of the creation if there was none since. */
  readonly updatedAt: number;
  /** How many replies there were from a model. */
  readonly steps: number;
  /** The number of the last event. */
  readonly head: number;
  /** Who claimed it last. */
  readonly owner: string;
  readonly about: Json;
  readonly parent: Parent | null;
};
