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
    what: 'a worker whose session was taken over can go on adding to it',
    parts: {
      store: (store, world) => ({
        ...store,
        append: (id, at, events, after) =>
          store.append(id, { ...at, fence: world.oracle.books.get(id)?.fence ?? 0 }, events, after),
      }),
    },
  },
  {
    name: 'lease-for-ever',
    what: 'a worker that was stopped takes its lease for as good as before',
    parts: { stopwatch: (stopwatch) => ({ ...stopwatch, now: () => 0 }) },
  },
  {
    name: 'lease-by-the-wall',
    what: 'how long a lease is good for is told by a clock that can be set',
    parts: {
      stopwatch: (stopwatch, process, world) => ({
        ...stopwatch,
        now: () => createSimClock(world, process).now(),
      }),
    },
  },
  {
    name: 'renewal-unheard',
    what: 'a worker that is told that its lease is over does not listen',
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
    what: 'what the queue has lost is not looked for',
    parts: { look: (look) => ({ ...look, readSessionHead: async () => null }) },
  },
  {
    name: 'sweep-misses-commands',
    what: 'a session that waits is not woken for what people have said to it',
    parts: { look: (look) => ({ ...look, commands: { ...look.commands, listPending: async () => [] } }) },
  },
  {
    name: 'drop-without-fence',
    what: 'a worker whose session was taken over throws away what it is asked, since it means nothing to it',
    parts: {
      commands: (commands) => ({ ...commands, remove: (session, id) => commands.remove(session, id) }),
    },
  },
  {
    name: 'command-taken-first',
    what: 'a command is taken away before it is carried out',
    parts: {
      commands: (commands) => ({
        ...commands,
        async listPending(session) {
          const waiting = await commands.listPending(session);
          for (const { id } of waiting) await commands.remove(session, id);
          return waiting;
        },
      }),
    },
  },
  {
    name: 'command-kept-on',
    what: 'a command that was carried out waits to be carried out again',
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
    what: 'a session that brings every worker down is taken up again and again',
    parts: {
      care: (care) => ({
        ...care,
        async startAttempt(session) {
          const begun = await care.startAttempt(session);
          return begun === null ? null : { ...begun, count: 1 };
        },
      }),
    },
  },
  {
    name: 'crashes-unforgotten',
    what: 'a session that ended in order is counted as one that brought its worker down',
    parts: { care: (care) => ({ ...care, endAttempt: async () => undefined }) },
  },
];

/** Returns the worker parts with the given bug, or the sound parts for null. */
export function getBuggyWorkerParts(name: string | null): WorkerParts {
  if (name === null) return soundWorkerParts;
  const bug = workerBugs.find((each) => each.name === name);
  if (bug === undefined) {
    const known = workerBugs.map((each) => each.name).join(', ');
    throw new Error(`There is no planted bug of workers named ${JSON.stringify(name)}. There are: ${known}.`);
  }
  return { ...soundWorkerParts, ...bug.parts };
}
