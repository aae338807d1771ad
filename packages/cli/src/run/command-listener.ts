import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent, StepResult } from '@pawl/runtime';
import { createCommandInbox } from '@pawl/runtime/commands';
import { StoreError } from '@pawl/runtime/store';
import type { OpenedStore } from '../sessions/store-option.ts';

/** Poll interval for commands in the store. */
const commandListenerPollMs = 250;

/** Receives commands sent to a session from another terminal, process or machine. */
export type CommandListener = {
  /** Receives every step result that the agent's observer receives. */
  observe(result: StepResult): void;
  /** Polls once; resolves when the pending commands are executed. */
  poll(agent: Agent): Promise<void>;
  /** Starts polling until `stop` is called. */
  listen(agent: Agent): void;
  /** Stops polling; resolves when the commands in progress are executed. */
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
  const inbox = createCommandInbox(store.commands, id, fence);
  let stopped = new AbortController();
  let lastPoll: Promise<void> = Promise.resolve();
  const executePending = async (agent: Agent): Promise<void> => {
    try {
      await inbox.executePending(agent);
    } catch (error) {
      // An unreadable store also fails the event log: the agent reports that outage, and it may be temporary.
      if (!(error instanceof StoreError)) throw error;
    }
  };
  // Serialize polls, because two concurrent polls would find the same commands.
  const poll = (agent: Agent): Promise<void> => (lastPoll = lastPoll.then(() => executePending(agent)));
  const pollRepeatedly = async (agent: Agent, { signal }: AbortController): Promise<void> => {
    while (!signal.aborted) {
      await poll(agent);
      await sleep(commandListenerPollMs, undefined, { signal }).catch(() => undefined);
    }
  };
  return {
    observe: (result) => inbox.observe(result),
    poll,
    listen(agent) {
      stopped = new AbortController();
      // Avoid an unhandled rejection; stop() reports the error.
      void pollRepeatedly(agent, stopped).catch(() => undefined);
    },
    async stop() {
      stopped.abort();
      await lastPoll;
    },
  };
}

const noopListener: CommandListener = {
  observe: () => undefined,
  poll: async () => undefined,
  listen: () => undefined,
  stop: async () => undefined,
};
