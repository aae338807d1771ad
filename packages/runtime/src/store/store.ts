import type { Event, Json, Session, TurnStatus } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';
import type { CommandChannel } from './command-channel.ts';

/**
 * Persists sessions as event logs. Failures reject with a `StoreError`.
 *
 * Contract: a resolved promise means the data is durable. A `StoreError` from `append` with any code but `unreadable`
 * means nothing changed; after any other failure the result is unknown, so the caller must claim and open the session
 * again before it continues. Ephemeral events are never stored.
 */
export type Store = {
  /** Stores a new session with its settings and claims it. */
  create(session: Session, owner: string, options?: CreateSessionOptions): Promise<LogPosition>;
  /**
   * Claims a session and returns its current state. Earlier claim holders can no longer append. With `from`, the claim
   * succeeds only if no one else has claimed the session since that fence; otherwise the error names the current owner.
   */
  claim(id: string, owner: string, from?: number): Promise<OpenedSession>;
  /**
   * Replays the session from its events without claiming it. With `at`, replays only up to that event number (0 is the
   * initial state); `head` is then that number too, so an append to a past state fails.
   */
  open(id: string, options?: { readonly at?: number }): Promise<OpenedSession>;
  /**
   * Appends all the events or none, if the session is still at this position. `after` is the state that `step` computes
   * from them. The same transaction removes the commands that the events execute.
   */
  append(id: string, at: LogPosition, events: readonly Event[], after: Session): Promise<LogPosition>;
  /** The events with a number above `after`, in order. */
  events(id: string, after?: number): AsyncIterable<StoredEvent>;
  /** Rebuilds the snapshot by replaying from the first event. */
  snapshot(id: string): Promise<void>;
  /**
   * Verifies every link of the hash chain. Marks a session with a broken chain as damaged, and clears the mark if the
   * chain is intact.
   */
  verify(id: string): Promise<VerificationResult>;
  /** Sorted by last update, newest first; the default limit is 1,000. */
  list(options?: { readonly limit?: number }): Promise<readonly SessionSummary[]>;
  /** Resolves to true if the session existed. */
  remove(id: string): Promise<boolean>;
  /** The last 100 claims of a session, oldest first; empty if the session does not exist. */
  claims(id: string): Promise<readonly SessionClaim[]>;
  /**
   * Records the prompt and the tools of an agent that resumes the session, before it handles the next event. Stores
   * `withManifestFolder` do; others have no place for them.
   */
  recordManifest?(
    id: string,
    manifest: { readonly prompt: string; readonly tools: readonly ToolDescription[] },
  ): Promise<void>;
  /** Commands sent to running sessions. They are removed with the session and are not copied into a fork. */
  readonly commands: CommandChannel;
  close(): Promise<void>;
};

export type CreateSessionOptions = {
  /** Caller-defined metadata, such as the session's folder. The store never interprets it. */
  readonly metadata?: Json;
  readonly past?: SessionPast;
  /** Creation time in milliseconds; defaults to the start of the session's turn. */
  readonly createdAt?: number;
};

/**
 * The inherited history of a forked session: the events that lead from its initial state to `after`, and its parent.
 */
export type SessionPast = {
  readonly events: readonly Event[];
  readonly after: Session;
  readonly parent: SessionParent;
};

/** The session that another was forked from, and the last event they share. */
export type SessionParent = { readonly id: string; readonly at: number };

/**
 * A position in a session's log under a claim. `head` is the number of the last event; `fence` is the fencing token of
 * the claim, which only increases across the whole store. A stale owner is therefore detected even if the session was
 * removed and recreated under the same id.
 */
export type LogPosition = { readonly fence: number; readonly head: number };

/** A record of one claim. It is informational; only the fence decides whether an append is accepted. */
export type SessionClaim = {
  readonly owner: string;
  /** Claim time in milliseconds, by the clock of the storage backend. */
  readonly at: number;
  /** The last event and the session status at the time of the claim. */
  readonly head: number;
  readonly status: SessionSummary['status'];
};

/** `replayed` counts the events replayed since the last snapshot. */
export type OpenedSession = LogPosition & {
  readonly session: Session;
  readonly owner: string;
  readonly metadata: Json;
  readonly parent: SessionParent | null;
  readonly replayed: number;
};

export type StoredEvent = { readonly seq: number; readonly event: Event; readonly hash: string };

export type VerificationResult =
  | { readonly ok: true; readonly head: number }
  | ({ readonly ok: false } & LogDamage);

/** The first event that fails verification, and why. */
export type LogDamage = { readonly seq: number; readonly reason: string };

export type SessionSummary = {
  readonly id: string;
  readonly profile: string;
  /** The beginning of the first user message; null until there is one. */
  readonly goal: string | null;
  readonly status: TurnStatus | 'damaged';
  readonly createdAt: number;
  /** The time of the last event, or the creation time if there is none. */
  readonly updatedAt: number;
  /** The number of model replies. */
  readonly steps: number;
  /** The number of the last event. */
  readonly head: number;
  /** The owner of the latest claim. */
  readonly owner: string;
  readonly metadata: Json;
  readonly parent: SessionParent | null;
};
