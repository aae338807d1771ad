import { setTimeout as sleep } from 'node:timers/promises';
import { createHearing, StoreError, type Agent, type Seen } from '@pawl/runtime';
import type { OpenedStore } from '../store-option.ts';

/** How often a store is looked at for what others ask. */
const pollMs = 250;

/** Hears what is asked of a session from another terminal, process or machine. */
export type Ears = {
  /** To be told of all that the agent's observer is told. */
  see(seen: Seen): void;
  /** Looks once, and resolves when what was asked is done. */
  hear(agent: Agent): Promise<void>;
  /** Looks again and again from now on, until it is stopped. */
  listen(agent: Agent): void;
  /** Resolves when nothing is carried out any more. */
  stop(): Promise<void>;
};

/**
 * Where nothing is kept, nobody else can ask anything, and nobody looks. `fence` is the number of the claim under which the
 * session is run.
 */
export function hearCommands({ store, path }: OpenedStore, id: string, fence: number | undefined): Ears {
  if (path === null) return deaf;
  const hearing = createHearing(store.commands, id, fence);
  let over = new AbortController();
  let last: Promise<void> = Promise.resolve();
  const look = async (agent: Agent): Promise<void> => {
    try {
      await hearing.carryOut(agent);
    } catch (error) {
      // What keeps the store from being read keeps the log from being written: the agent tells of it, and it may pass.
      if (!(error instanceof StoreError)) throw error;
    }
  };
  // Two looks at once would both find the same.
  const hear = (agent: Agent): Promise<void> => (last = last.then(() => look(agent)));
  const again = async (agent: Agent, { signal }: AbortController): Promise<void> => {
    while (!signal.aborted) {
      await hear(agent);
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    }
  };
  return {
    see: (seen) => hearing.see(seen),
    hear,
    listen(agent) {
      over = new AbortController();
      // Whoever waits for the end of it is told what went wrong.
      void again(agent, over).catch(() => undefined);
    },
    async stop() {
      over.abort();
      await last;
    },
  };
}

const deaf: Ears = {
  see: () => undefined,
  hear: async () => undefined,
  listen: () => undefined,
  stop: async () => undefined,
};
