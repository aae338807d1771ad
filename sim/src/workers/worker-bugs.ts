import { createSimClock } from '../sim-clock.ts';
import { soundWorkerParts, type WorkerParts } from './workers-world.ts';

/** A plausible bug in a worker, implemented as an alternative assembly. */
export type WorkerBug = {
  readonly name: string;
  /** One-line description of the bug. */
  readonly what: string;
  readonly parts: Partial<WorkerParts>;
};

export const workerBugs: readonly WorkerBug[] = [
  {
    name: 'workers-no-fence',
    what: 'a worker that lost its session can still append to it',
    parts: {
      store: (store, world) => ({
        ...store,
        append: (id, at, events, after) =>
          store.append(id, { ...at, fence: world.oracle.ledgers.get(id)?.fence ?? 0 }, events, after),
      }),
    },
  },
  {
    name: 'lease-for-ever',
    what: 'a paused worker still considers its lease valid',
    parts: { timer: (stopwatch) => ({ ...stopwatch, now: () => 0 }) },
  },
  {
    name: 'lease-by-the-wall',
    what: 'lease expiry uses the wall clock instead of a monotonic timer',
    parts: {
      timer: (stopwatch, process, world) => ({
        ...stopwatch,
        now: () => createSimClock(world, process).now(),
      }),
    },
  },
  {
    name: 'renewal-unheard',
    what: 'a worker ignores that its lease could not be extended',
    parts: {
      extend: (extend) => () =>
        extend().then(
          () => true,
          () => true,
        ),
    },
  },
  {
    name: 'no-sweep',
    what: 'lost jobs are not swept',
    parts: { sweepProbe: (look) => ({ ...look, readSessionHead: async () => null }) },
  },
  {
    name: 'sweep-misses-commands',
    what: 'a waiting session is not woken for pending commands',
    parts: {
      sweepProbe: (look) => ({ ...look, commands: { ...look.commands, listPending: async () => [] } }),
    },
  },
  {
    name: 'drop-without-fence',
    what: 'a worker that lost its session removes pending commands',
    parts: {
      commands: (commands) => ({ ...commands, remove: (session, id) => commands.remove(session, id) }),
    },
  },
  {
    name: 'command-taken-first',
    what: 'a command is removed before it is executed',
    parts: {
      commands: (commands) => ({
        ...commands,
        async listPending(session) {
          const pending = await commands.listPending(session);
          for (const { id } of pending) await commands.remove(session, id);
          return pending;
        },
      }),
    },
  },
  {
    name: 'command-kept-on',
    what: 'an executed command stays pending',
    parts: {
      store: (store) => ({
        ...store,
        // JSON drops the non-JSON parts of an event, such as the command that it applies.
        append: (id, at, events, after) =>
          store.append(id, at, JSON.parse(JSON.stringify(events)) as typeof events, after),
      }),
    },
  },
  {
    name: 'crashes-uncounted',
    what: 'a session that crashes every worker is retried forever',
    parts: {
      crashLedger: (ledger) => ({
        ...ledger,
        async startAttempt(session) {
          const attempt = await ledger.startAttempt(session);
          return attempt === null ? null : { ...attempt, count: 1 };
        },
      }),
    },
  },
  {
    name: 'crashes-unforgotten',
    what: 'an attempt that ended normally is counted as a crash',
    parts: { crashLedger: (ledger) => ({ ...ledger, endAttempt: async () => undefined }) },
  },
];

/** Returns the worker parts with the given bug, or the sound parts for null. */
export function getBuggyWorkerParts(name: string | null): WorkerParts {
  if (name === null) return soundWorkerParts;
  const bug = workerBugs.find((each) => each.name === name);
  if (bug === undefined) {
    const known = workerBugs.map((each) => each.name).join(', ');
    throw new Error(
      `There is no planted worker bug named ${JSON.stringify(name)}. The planted worker bugs are: ${known}.`,
    );
  }
  return { ...soundWorkerParts, ...bug.parts };
}
