import { setTimeout as sleep } from 'node:timers/promises';
import { createCommandInbox, StoreError, type Agent, type StepResult } from '@pawl/runtime';
import type { OpenedStore } from '../store-option.ts';

/** Poll interval for commands in the store. */
const commandListenerPollMs = 250;

/** Receives commands sent to a session from another terminal, process or machine. */
export type CommandListener = {
  /** Receives every step result that the agent's observer receives. */
  see(seen: StepResult): void;
  /** Polls once; resolves when the commands found are carried out. */
  hear(agent: Agent): Promise<void>;
  /** Polls until it is stopped. */
  listen(agent: Agent): void;
  /** Stops polling; resolves when the commands in progress are carried out. */
  stop(): Promise<void>;
};

/**
 * Creates a no-op listener if nothing is persisted, because then no other process can send commands. `fence` is the
 * fencing token of the claim under which the session runs.
 */
export function createCommandListener(
  { store, path }: OpenedStore,
  id: string,
  fence: number | undefined,
): CommandListener {
  if (path === null) return noopListener;
  const hearing = createCommandInbox(store.commands, id, fence);
  let over = new AbortController();
  let last: Promise<void> = Promise.resolve();
  const look = async (agent: Agent): Promise<void> => {
    try {
      await hearing.executePending(agent);
    } catch (error) {
      // An unreadable store also fails the event log: the agent reports that outage, and it may be temporary.
      if (!(error instanceof StoreError)) throw error;
    }
  };
  // Serialize polls, because two concurrent polls would find the same commands.
  const hear = (agent: Agent): Promise<void> => (last = last.then(() => look(agent)));
  const again = async (agent: Agent, { signal }: AbortController): Promise<void> => {
    while (!signal.aborted) {
      await hear(agent);
      await sleep(commandListenerPollMs, undefined, { signal }).catch(() => undefined);
    }
  };
  return {
    see: (seen) => hearing.observe(seen),
    hear,
    listen(agent) {
      over = new AbortController();
      // Avoid an unhandled rejection; stop() reports the error.
      void again(agent, over).catch(() => undefined);
    },
    async stop() {
      over.abort();
      await last;
    },
  };
}

const noopListener: CommandListener = {
  see: () => undefined,
  hear: async () => undefined,
  listen: () => undefined,
  stop: async () => undefined,
};
