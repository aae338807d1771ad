import { once } from 'node:events';
import { isClosedSession, isTerminalSession, type Session } from '@pawl/core';
import { Agent, resumeSession } from '@pawl/runtime';
import { createCommandInbox, type CommandChannel, type CommandInbox } from '@pawl/runtime/commands';
import { StoreError, type Store } from '@pawl/runtime/store';
import { guardToolsByLease, systemTimer, type SessionLease, type MonotonicTimer } from './session-lease.ts';
import type { AgentFactory } from './agent-factory.ts';

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
  readonly timer?: MonotonicTimer;
};

/** The outcome: the session waits for a user, has ended, was released, or belongs to another owner. */
export type AdvanceOutcome = 'waiting' | 'ended' | 'left' | 'lost';

/**
 * Claims and resumes a session, and runs it until it has nothing left to do or must be released. If this process dies
 * meanwhile, the log records what was done.
 */
export async function advanceSession(id: string, context: AdvanceContext): Promise<AdvanceOutcome> {
  const { store, owner, lease, draining, agentFactory } = context;
  const { metadata, ...resumed } = await resumeSession(store, id, { owner });
  if (isClosedSession(resumed.session) && (await context.commands.listPending(id)).length === 0)
    return 'ended';
  const signal = AbortSignal.any([lease.lost, draining]);
  const wakeSignal = createWakeSignal(context.timer ?? systemTimer);
  const questions = createPendingQuestions(wakeSignal.notify);
  const { close = async () => undefined, ...setup } = await agentFactory({
    session: resumed.session,
    metadata,
    signal,
    waitForPerson: questions.ask,
    post: (event) => agent.post(event),
    now: () => agent.session,
  });
  const inbox = createCommandInbox(context.commands, id, resumed.fence);
  const agent: Agent = new Agent({
    decide: (_, promptSignal) => questions.ask(promptSignal),
    ...setup,
    ...resumed,
    id,
    tools: guardToolsByLease(setup.tools, lease),
    observe(result) {
      setup.observe?.(result);
      inbox.observe(result);
      if (isWaitingForPeople(result.session, questions)) wakeSignal.notify();
    },
  });
  try {
    signal.addEventListener('abort', wakeSignal.notify, { once: true });
    void agent.ended.then(wakeSignal.notify, wakeSignal.notify);
    const failed = new AbortController();
    const working = {
      ...context,
      signal: AbortSignal.any([signal, failed.signal]),
      wakeSignal,
      questions,
      inbox,
    };
    const failure = await raceWithAgent(agent, () => runAdvanceLoop(agent, working));
    if (failure !== null) failed.abort();
    await agent.detach({ graceMs: context.graceMs });
    if (failure !== null) return toLostOrThrow(failure);
    if (isTerminalSession(agent.session)) return 'ended';
    return lease.lost.aborted ? 'lost' : draining.aborted ? 'left' : 'waiting';
  } finally {
    await close();
  }
}

type PendingQuestions = {
  readonly ask: (signal: AbortSignal) => Promise<never>;
  readonly areOpen: () => boolean;
};

/** Users answer with a command from anywhere. Until then the question stays open in the session. */
function createPendingQuestions(onAsked: () => void): PendingQuestions {
  let openCount = 0;
  return {
    areOpen: () => openCount > 0,
    async ask(signal) {
      openCount += 1;
      onAsked();
      try {
        if (!signal.aborted) await once(signal, 'abort');
        throw new Error('No user has decided yet.');
      } finally {
        openCount -= 1;
      }
    },
  };
}

type AdvanceLoopContext = AdvanceContext & {
  readonly signal: AbortSignal;
  readonly wakeSignal: WakeSignal;
  readonly questions: PendingQuestions;
  readonly inbox: CommandInbox;
};

async function runAdvanceLoop(
  agent: Agent,
  { signal, wakeSignal, questions, inbox, pollMs }: AdvanceLoopContext,
): Promise<void> {
  await agent.resume();
  while (!signal.aborted) {
    const nextWake = wakeSignal.wait(pollMs);
    if ((await inbox.executePending(agent)) > 0) continue;
    if (isWaitingForPeople(agent.session, questions)) break;
    await nextWake;
  }
}

/** Whether the session makes no progress without user input. */
function isWaitingForPeople({ turn }: Session, questions: PendingQuestions): boolean {
  // Until a user is asked, a hook may still decide.
  if (turn.status === 'awaitingPermission') return questions.areOpen();
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
  const failed = agent.ended.then(() => undefined);
  try {
    await Promise.race([run(), failed]);
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

type WakeSignal = { readonly notify: () => void; readonly wait: (ms: number) => Promise<void> };

/** Wakes all current waiters. A waiter that starts after a ring waits for the next one. */
function createWakeSignal(timer: MonotonicTimer): WakeSignal {
  let next = Promise.withResolvers<void>();
  return {
    notify() {
      next.resolve();
      next = Promise.withResolvers<void>();
    },
    async wait(ms) {
      const timeout = Promise.withResolvers<void>();
      const cancelTimer = timer.schedule(ms, timeout.resolve);
      await Promise.race([next.promise, timeout.promise]);
      cancelTimer();
    },
  };
}
