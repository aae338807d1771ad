import type { Json, Session } from '@pawl/core';
import type { AgentOptions, Unstamped } from '@pawl/runtime';

/** What a session is worked on with. The session, its log and its lease are the worker's part. */
export type Outfit = Omit<AgentOptions, 'session' | 'log' | 'unstored' | 'id'> & {
  /** Called when the worker is done with the session for now. */
  readonly close?: () => Promise<void>;
};

/** Resolves to what a session is worked on with, by what is kept of it. If it throws, the session is parked. */
export type OutfitFor = (opened: Opened) => Promise<Outfit>;

export type Opened = {
  readonly session: Session;
  readonly about: Json;
  /** Aborted when the worker has to let go of the session. */
  readonly signal: AbortSignal;
  /**
   * For a `decide` that comes to a question which only people can answer. They do so by a command, from wherever they are; until
   * then the question stands in the session, and nobody holds it. It never resolves.
   */
  readonly askPeople: (signal: AbortSignal) => Promise<never>;
  /** Hands an event to the agent, once there is one. */
  readonly post: (event: Unstamped) => Promise<boolean>;
  /** The session as it is now. */
  readonly now: () => Session;
};
