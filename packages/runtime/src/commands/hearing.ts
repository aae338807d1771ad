import type { Agent, Seen } from '../agent.ts';
import { carryingOut, commandIn } from './carrying-out.ts';
import type { CommandChannel } from './channel.ts';
import { eventFor } from './command.ts';

/** Has an agent do what people ask of its session from elsewhere. */
export type Hearing = {
  /** To be told of all that the agent's observer is told. */
  see(seen: Pick<Seen, 'event'>): void;
  /** Carries out what waits, one after the other; resolves to how much that was. */
  carryOut(agent: Pick<Agent, 'post'>): Promise<number>;
};

/** `fence` is the number of the claim under which the session is run. */
export function createHearing(commands: CommandChannel, session: string, fence?: number): Hearing {
  /** The commands that the machine was told of. */
  const heard = new Set<string>();
  return {
    see({ event }) {
      const command = commandIn(event);
      if (command !== undefined) heard.add(command);
    },
    async carryOut(agent) {
      const waiting = await commands.waiting(session);
      for (const { id, command } of waiting) {
        const isTaken = command !== null && (await agent.post(carryingOut(eventFor(command), id)));
        // A command that means nothing here leads to no event that would take it away. One that was not even heard is for
        // whoever runs the session next.
        if (!isTaken && (command === null || heard.has(id))) await commands.drop(session, id, fence);
        heard.delete(id);
      }
      return waiting.length;
    },
  };
}
