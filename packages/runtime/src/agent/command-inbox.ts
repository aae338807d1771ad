import {
  type CommandChannel,
  createCommandEvent,
  getExecutedCommand,
  markExecutedCommand,
} from '../store/command-channel.ts';
import type { Agent, StepResult } from './agent.ts';

/** Delivers the commands sent to a session to the agent that runs it. */
export type CommandInbox = {
  /** Must be called from the agent's observer for every step. */
  observe(result: Pick<StepResult, 'event'>): void;
  /** Executes the pending commands in order; resolves to their number. */
  executePending(agent: Pick<Agent, 'post'>): Promise<number>;
};

/** `fence` is the fencing token of the claim under which the session runs. */
export function createCommandInbox(commands: CommandChannel, session: string, fence?: number): CommandInbox {
  /** Ids of the commands whose events were reduced. */
  const reducedIds = new Set<string>();
  return {
    observe({ event }) {
      const command = getExecutedCommand(event);
      if (command !== undefined) reducedIds.add(command);
    },
    async executePending(agent) {
      const pending = await commands.listPending(session);
      for (const { id, command } of pending) {
        const isAccepted =
          command !== null && (await agent.post(markExecutedCommand(createCommandEvent(command), id)));
        // A command without effect is never persisted as an event, which would remove it, so it is dropped here. A
        // command whose event was never reduced stays queued for the next process that runs the session.
        if (!isAccepted && (command === null || reducedIds.has(id)))
          await commands.remove(session, id, fence);
        reducedIds.delete(id);
      }
      return pending.length;
    },
  };
}
