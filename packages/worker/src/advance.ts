import { once } from 'node:events';
import { isTerminal, type Session } from '@pawl/core';
import {
  Agent,
  createHearing,
  StoreError,
  takeUp,
  type CommandChannel,
  type Hearing,
  type Store,
} from '@pawl/runtime';
import { underLease, type Lease } from './lease.ts';
import type { OutfitFor } from './outfit.ts';
import { systemStopwatch, type Stopwatch } from './stopwatch.ts';

export type AdvanceMeans = {
  readonly store: Store;
  readonly commands: CommandChannel;
  readonly outfitFor: OutfitFor;
  readonly owner: string;
  readonly lease: Lease;
  /** Aborted when the worker is to end. */
  readonly draining: AbortSignal;
  /** How long what runs may take to end once the session has to be let go of. */
  readonly graceMs: number;
  readonly pollMs: number;
  readonly stopwatch?: Stopwatch;
};

/** How far a session came: it waits for people, it is over, it was let go of, or somebody else has it. */
export type Advanced = 'waiting' | 'ended' | 'left' | 'lost';

/**
 * Takes a session up and goes on with it until there is nothing left to do, or until it has to be let go of. Whatever
 * becomes of this process meanwhile, the log says what was done.
 */
export async function advance(id: string, means: AdvanceMeans): Promise<Advanced> {
  const { store, owner, lease, draining, outfitFor } = means;
  const { about, ...taken } = await takeUp(store, id, { owner });
  if (isTerminal(taken.session)) return 'ended';
  const signal = AbortSignal.any([lease.lost, draining]);
  const bell = createBell(means.stopwatch ?? systemStopwatch);
  const people = createQuestions(bell.ring);
  const { close = async () => undefined, ...outfit } = await outfitFor({
    session: taken.session,
    about,
    signal,
    askPeople: people.ask,
    post: (event) => agent.post(event),
    now: () => agent.session,
  });
  const hearing = createHearing(means.commands, id, taken.fence);
  const agent: Agent = new Agent({
    decide: (_, unwanted) => people.ask(unwanted),
    ...outfit,
    ...taken,
    id,
    tools: underLease(outfit.tools, lease),
    observe(seen) {
      outfit.observe?.(seen);
      hearing.see(seen);
      if (isQuiet(seen.session, people)) bell.ring();
    },
  });
  try {
    signal.addEventListener('abort', bell.ring, { once: true });
    void agent.ended.then(bell.ring, bell.ring);
    const broken = new AbortController();
    const working = { ...means, signal: AbortSignal.any([signal, broken.signal]), bell, people, hearing };
    const failure = await failureIn(agent, () => work(agent, working));
    if (failure !== null) broken.abort();
    await agent.leave({ graceMs: means.graceMs });
    if (failure !== null) return refused(failure);
    if (isTerminal(agent.session)) return 'ended';
    return lease.lost.aborted ? 'lost' : draining.aborted ? 'left' : 'waiting';
  } finally {
    await close();
  }
}

type Questions = { readonly ask: (unwanted: AbortSignal) => Promise<never>; readonly areOpen: () => boolean };

/** People answer by a command, from wherever they are. Until then the question stands in the session. */
function createQuestions(onAsked: () => void): Questions {
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

type Working = AdvanceMeans & {
  readonly signal: AbortSignal;
  readonly bell: Bell;
  readonly people: Questions;
  readonly hearing: Hearing;
};

async function work(agent: Agent, { signal, bell, people, hearing, pollMs }: Working): Promise<void> {
  await agent.resume();
  while (!signal.aborted && !isTerminal(agent.session)) {
    const rung = bell.wait(pollMs);
    if ((await hearing.carryOut(agent)) > 0) continue;
    if (isQuiet(agent.session, people)) break;
    await rung;
  }
}

/** Nothing goes on by itself: a person has to say something first. */
function isQuiet({ turn }: Session, people: Questions): boolean {
  // Until people are asked, it may be a hook that decides.
  if (turn.status === 'awaitingPermission') return people.areOpen();
  return quiet.has(turn.status);
}

const quiet: ReadonlySet<Session['turn']['status']> = new Set([
  'waitingForUser',
  'paused',
  'halted',
  'shuttingDown',
]);

/** Runs something beside an agent. Resolves to what broke off either of them, or to null. */
async function failureIn(agent: Agent, run: () => Promise<void>): Promise<unknown> {
  const broken = agent.ended.then(() => undefined);
  try {
    await Promise.race([run(), broken]);
    return null;
  } catch (error) {
    return error;
  }
}

/** That somebody else has it is no trouble; everything else is for whoever runs the worker to know. */
function refused(failure: unknown): Advanced {
  const cause = failure instanceof Error && failure.cause !== undefined ? failure.cause : failure;
  if (cause instanceof StoreError && (cause.code === 'held' || cause.code === 'conflict')) return 'lost';
  throw cause;
}

type Bell = { readonly ring: () => void; readonly wait: (ms: number) => Promise<void> };

/** Wakes whoever waits. One who begins to wait after it rang waits for the next ring. */
function createBell(stopwatch: Stopwatch): Bell {
  let next = Promise.withResolvers<void>();
  return {
    ring() {
      next.resolve();
      next = Promise.withResolvers<void>();
    },
    async wait(ms) {
      const late = Promise.withResolvers<void>();
      const stopRinging = stopwatch.ring(ms, late.resolve);
      await Promise.race([next.promise, late.promise]);
      stopRinging();
    },
  };
}
