import type { Json, Session } from '@pawl/core';
import type { AgentOptions, UnstampedEvent } from '@pawl/runtime';

/** The agent options for a session. The worker itself supplies the session, its log and its lease. */
export type AgentSetup = Omit<AgentOptions, 'session' | 'log' | 'unsavedEntries' | 'id'> & {
  /** Called when the worker releases the session. */
  readonly close?: () => Promise<void>;
};

/** Creates the agent options for a stored session. If it throws, the session becomes a dead letter. */
export type AgentFactory = (opened: AgentFactoryContext) => Promise<AgentSetup>;

export type AgentFactoryContext = {
  readonly session: Session;
  readonly metadata: Json;
  /** Aborted when the worker must release the session. */
  readonly signal: AbortSignal;
  /**
   * For a `decide` that needs a user's answer. Users answer with a command from anywhere; until then the question stays
   * open in the session, and no worker holds it. It never resolves.
   */
  readonly waitForPerson: (signal: AbortSignal) => Promise<never>;
  /** Posts an event to the agent, once it exists. */
  readonly post: (event: UnstampedEvent) => Promise<boolean>;
  /** Returns the current session. */
  readonly now: () => Session;
};
