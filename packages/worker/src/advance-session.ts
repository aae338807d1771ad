import { once } from 'node:events';
import { isTerminalSession, type Session } from '@pawl/core';
import {
  Agent,
  createCommandInbox,
  StoreError,
  resumeSession,
  type CommandChannel,
  type CommandInbox,
  type Store,
} from '@pawl/runtime';
import { guardToolsByLease, type SessionLease } from './session-lease.ts';
import type { AgentFactory } from './agent-factory.ts';
import { systemTimer, type MonotonicTimer } from './monotonic-timer.ts';

export type AdvanceContext = {
  readonly store: Store;
  readonly commands: CommandChannel;
  readonly agentFactory: AgentFactory;
  readonly owner: string;
  readonly lease: SessionLease;
  /** Aborted when the worker shuts down. */
  readonly draining: AbortSignal;
  /** How long running work may take to end once the session must be released. */
  readonly graceMs: number;
  readonly pollMs: number;
  readonly stopwatch?: MonotonicTimer;
};

/** The outcome: the session waits for a user, has ended, was released, or belongs to another owner. */
export type AdvanceOutcome = 'waiting' | 'ended' | 'left' | 'lost';

/**
 * Claims and resumes a session, and runs it until it has nothing left to do or must be released. If this process dies
 * meanwhile, the log records what was done.
 */
export async function advanceSession(id: string, means: AdvanceContext): Promise<AdvanceOutcome> {
  const { store, owner, lease, draining, agentFactory } = means;
  const { metadata, ...taken } = await resumeSession(store, id, { owner });
  if (isTerminalSession(taken.session)) return 'ended';
  const signal = AbortSignal.any([lease.lost, draining]);
  const bell = createWakeSignal(means.stopwatch ?? systemTimer);
  const people = createPendingQuestions(bell.ring);
  const { close = async () => undefined, ...outfit } = await agentFactory({
    session: taken.session,
    metadata,
    signal,
    waitForPerson: people.ask,
    post: (event) => agent.post(event),
    now: () => agent.session,
  });
  const hearing = createCommandInbox(means.commands, id, taken.fence);
  const agent: Agent = new Agent({
    decide: (_, unwanted) => people.ask(unwanted),
    ...outfit,
    ...taken,
    id,
    tools: guardToolsByLease(outfit.tools, lease),
    observe(seen) {
      outfit.observe?.(seen);
      hearing.observe(seen);
      if (isWaitingForPeople(seen.session, people)) bell.ring();
    },
  });
  try {
    signal.addEventListener('abort', bell.ring, { once: true });
    void agent.ended.then(bell.ring, bell.ring);
    const broken = new AbortController();
    const working = { ...means, signal: AbortSignal.any([signal, broken.signal]), bell, people, hearing };
    const failure = await raceWithAgent(agent, () => runAdvanceLoop(agent, working));
    if (failure !== null) broken.abort();
    await agent.detach({ graceMs: means.graceMs });
    if (failure !== null) return toLostOrThrow(failure);
    if (isTerminalSession(agent.session)) return 'ended';
    return lease.lost.aborted ? 'lost' : draining.aborted ? 'left' : 'waiting';
  } finally {
    await close();
  }
}

type PendingQuestions = {
  readonly ask: (unwanted: AbortSignal) => Promise<never>;
  readonly areOpen: () => boolean;
};

/** Users answer with a command from anywhere. Until then the question stays open in the session. */
function createPendingQuestions(onAsked: () => void): PendingQuestions {
  let open = 0;
  return {
    areOpen: () => open > 0,
    async ask(unwanted) {
      open += 1;
      onAsked();
      try {
        if (!unwanted.aborted) await once(unwanted, 'abort');
        throw new Error('Nobody has decided yet.');
      } finally {
        open -= 1;
      }
    },
  };
}

type AdvanceLoopContext = AdvanceContext & {
  readonly signal: AbortSignal;
  readonly bell: WakeSignal;
  readonly people: PendingQuestions;
  readonly hearing: CommandInbox;
};

async function runAdvanceLoop(
  agent: Agent,
  { signal, bell, people, hearing, pollMs }: AdvanceLoopContext,
): Promise<void> {
  await agent.resume();
  while (!signal.aborted && !isTerminalSession(agent.session)) {
    const rung = bell.wait(pollMs);
    if ((await hearing.executePending(agent)) > 0) continue;
    if (isWaitingForPeople(agent.session, people)) break;
    await rung;
  }
}

/** Whether the session makes no progress without user input. */
function isWaitingForPeople({ turn }: Session, people: PendingQuestions): boolean {
  // Until a user is asked, a hook may still decide.
  if (turn.status === 'awaitingPermission') return people.areOpen();
  return restingTurnStatuses.has(turn.status);
}

const restingTurnStatuses: ReadonlySet<Session['turn']['status']> = new Set([
  'waitingForUser',
  'paused',
  'halted',
  'shuttingDown',
]);

/** Runs a task alongside an agent. Resolves to the error that ended either of them, or to null. */
async function raceWithAgent(agent: Agent, run: () => Promise<void>): Promise<unknown> {
  const broken = agent.ended.then(() => undefined);
  try {
    await Promise.race([run(), broken]);
    return null;
  } catch (error) {
    return error;
  }
}

/** A lost claim is expected; any other error is reported to the worker's operator. */
function toLostOrThrow(failure: unknown): AdvanceOutcome {
  const cause = failure instanceof Error && failure.cause !== undefined ? failure.cause : failure;
  if (cause instanceof StoreError && (cause.code === 'held' || cause.code === 'conflict')) return 'lost';
  throw cause;
}

type WakeSignal = { readonly ring: () => void; readonly wait: (ms: number) => Promise<void> };

/** Wakes all current waiters. A waiter that starts after a ring waits for the next one. */
function createWakeSignal(stopwatch: MonotonicTimer): WakeSignal {
  let next = Promise.withResolvers<void>();
  return {
    ring() {
      next.resolve();
      next = Promise.withResolvers<void>();
    },
    async wait(ms) {
      const late = Promise.withResolvers<void>();
      const stopRinging = stopwatch.schedule(ms, late.resolve);
      await Promise.race([next.promise, late.promise]);
      stopRinging();
    },
  };
}
