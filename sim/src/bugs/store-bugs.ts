import { toDurableSession, step, type Event, type Session } from '@pawl/core';
import { resumeSession, type AgentOptions, type EventLog } from '@pawl/runtime';
import {
  createStoreEventLog,
  StoreError,
  type OpenedSession,
  type LogPosition,
  type Store,
} from '@pawl/runtime/store';
import { replaceLog, type PlantedBug } from './bug.ts';

/** Planted bugs in the log, the store and claims. */
export const storeBugs: readonly PlantedBug[] = [
  {
    name: 'no-fence',
    what: 'a former owner of a session can still append to it',
    parts: {
      store: (store, { world }) => ({
        ...store,
        append: (id, at, events, after) =>
          store.append(id, { ...at, fence: world.oracle.ledgers.get(id)?.fence ?? 0 }, events, after),
      }),
    },
  },
  {
    name: 'no-claim',
    what: 'a session is resumed under the claim of its former owner',
    parts: {
      async resume(store, id) {
        const { session, fence, head, metadata } = await store.open(id);
        return {
          fence,
          session,
          metadata,
          log: createStoreEventLog(store, id, { fence, head }),
          unsavedEntries: [],
        };
      },
    },
  },
  {
    name: 'wrong-fence',
    what: 'a claim returns the previous fence',
    parts: {
      store: (store) => ({
        ...store,
        async claim(id, owner, from) {
          const claimed = await store.claim(id, owner, from);
          return { ...claimed, fence: claimed.fence - 1 };
        },
      }),
    },
  },
  {
    name: 'retry-without-reading',
    what: 'an append with unknown outcome is retried without checking the log',
    parts: {
      async resume(store, id, options) {
        const resumed = await resumeSession(store, id, options);
        const { fence, head } = await store.open(id);
        return { ...resumed, log: createStubbornLog(store, id, { fence, head }) };
      },
    },
  },
  {
    name: 'acknowledge-before-append',
    what: 'events are acknowledged before they are persisted',
    parts: { options: (options) => replaceLog(options, createHastyLog) },
  },
  {
    name: 'start-unrecorded',
    what: 'a call runs before its start is persisted',
    parts: {
      options: (options) =>
        replaceLog(options, (log) =>
          createHastyLog(log, (events) => events.some(({ type }) => type === 'tool-started')),
        ),
    },
  },
  {
    name: 'together-unkept',
    what: 'a batch of events is acknowledged, and its calls run, before it is persisted',
    parts: {
      options: (options) => replaceLog(options, (log) => createHastyLog(log, ({ length }) => length > 1)),
    },
  },
  {
    name: 'together-by-half',
    what: 'a batch counts as persisted once its first event is',
    parts: { options: (options) => replaceLog(options, (log) => createPiecemealLog(log, options, 'hasty')) },
  },
  {
    name: 'together-torn',
    what: 'a batch is persisted event by event, and retried as a whole',
    parts: {
      options: (options) => replaceLog(options, (log) => createPiecemealLog(log, options, 'patient')),
    },
  },
  {
    name: 'skip-when-full',
    what: 'an event that does not fit on the disk is skipped',
    parts: { options: (options) => replaceLog(options, (log) => createErrorIgnoringLog(log, ['full'])) },
  },
  {
    name: 'go-on-when-held',
    what: 'an agent that lost its session continues without its log',
    parts: {
      options: (options) => replaceLog(options, (log) => createErrorIgnoringLog(log, ['held', 'conflict'])),
    },
  },
  {
    name: 'snapshot-off-by-one',
    what: 'a session is opened without its last event',
    parts: {
      store: (store) => {
        const withoutLast = async (opened: OpenedSession): Promise<OpenedSession> => {
          const { id } = opened.session;
          if (opened.head === 0) return opened;
          return { ...opened, session: (await store.open(id, { at: opened.head - 1 })).session };
        };
        return {
          ...store,
          claim: async (id, owner, from) => withoutLast(await store.claim(id, owner, from)),
          open: async (id, options) => {
            const opened = await store.open(id, options);
            return options?.at === undefined ? withoutLast(opened) : opened;
          },
        };
      },
    },
  },
  {
    name: 'running-forgotten',
    what: 'running calls are treated as not started',
    parts: {
      async resume(store, id, options) {
        const resumed = await resumeSession(store, id, options);
        return { ...resumed, session: resetRunningCalls(resumed.session) };
      },
    },
  },
];

/** Retries an append until it is acknowledged, at whatever head the session has by then. */
function createStubbornLog(store: Store, id: string, position: LogPosition): EventLog {
  let at = position;
  const append: EventLog['append'] = async (events, after) => {
    try {
      at = await store.append(id, at, events, after);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'unreadable') throw error;
      at = { fence: at.fence, head: (await store.open(id)).head };
      await append(events, after);
    }
  };
  return { append };
}

/** Acknowledges some events immediately and persists them later. */
function createHastyLog(
  log: EventLog,
  isHasty: (events: readonly Event[]) => boolean = () => true,
): EventLog {
  let last: Promise<void> = Promise.resolve();
  return {
    append(events, after) {
      const persisted = last.then(() => log.append(events, after));
      last = persisted.catch(() => undefined);
      return isHasty(events) ? undefined : persisted;
    },
  };
}

/** Persists the events of one append one by one, and waits for all of them or only for the first. */
function createPiecemealLog(
  log: EventLog,
  { session: initial }: Pick<AgentOptions, 'session'>,
  mode: 'hasty' | 'patient',
): EventLog {
  let session = initial;
  let last: Promise<void> = Promise.resolve();
  const persist = async (event: Event): Promise<void> => {
    if (session === undefined) return;
    session = step(session, event).session;
    await log.append([event], session);
  };
  return {
    async append([first, ...others]) {
      await last;
      if (first !== undefined) await persist(first);
      const rest = (async () => {
        for (const event of others) await persist(event);
      })();
      last = rest.catch(() => undefined);
      if (mode === 'patient') await rest;
    },
  };
}

/** Ignores store errors with the given codes. */
function createErrorIgnoringLog(log: EventLog, codes: readonly string[]): EventLog {
  return {
    async append(events, after) {
      try {
        await log.append(events, after);
      } catch (error) {
        if (!(error instanceof StoreError) || !codes.includes(error.code)) throw error;
      }
    },
  };
}

function resetRunningCalls(session: Session): Session {
  const { turn } = toDurableSession(session);
  if (turn.status !== 'executingTools') return session;
  const executions = turn.executions.map((execution) =>
    execution.status === 'running' ? ({ status: 'pending', call: execution.call } as const) : execution,
  );
  return { ...session, turn: { ...turn, executions } };
}
