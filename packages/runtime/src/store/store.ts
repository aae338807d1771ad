import type { Event, Session, TurnStatus } from '@pawl/core';

/**
 * Keeps sessions as their events, beyond the life of a process. What goes wrong rejects with a `StoreError`.
 *
 * Contract: a promise that resolves means kept. An append that is refused has changed nothing; after one that failed in
 * any other way nobody knows, and whoever goes on claims and opens the session first. Ephemeral events are never kept.
 */
export type Store = {
  /** Keeps a new session, settings and all, and claims it. */
  create(session: Session, owner: string): Promise<Position>;
  /** Takes a session over. Nobody who claimed it before can append from now on. */
  claim(id: string, owner: string): Promise<Position>;
  /** The session as its events tell it, without a claim to it. */
  open(id: string): Promise<OpenedSession>;
  /**
   * Adds all the events or none, if the session still stands at this position. `after` is what they lead to, by `step`.
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
  close(): Promise<void>;
};

/**
 * Where a session stands, and under whose claim. `head` is the number of the last event; `fence` is the number of
 * the claim, higher than that of any claim before it in the whole store: so one who was taken over from can be told from
 * the one who took over, even where a session was removed and made anew under the same id.
 */
export type Position = { readonly fence: number; readonly head: number };

/** `replayed` is how many events were stepped through: those since the last snapshot. */
export type OpenedSession = Position & {
  readonly session: Session;
  readonly owner: string;
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
  /** The time of the last event. */
  readonly updatedAt: number;
  /** How many replies there were from a model. */
  readonly steps: number;
};
