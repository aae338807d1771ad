import type { Agent, Seen } from '../agent.ts';
import { carryingOut, commandIn } from './carrying-out.ts';
import type { CommandChannel } from './channel.ts';
import { eventFor } from './command.ts';

/** Has an agent do what people ask of its session from elsewhere. */
export type Hearing = {
  /** To be called with all that the agent's observer sees. */
  see(seen: Pick<Seen, 'event'>): void;
  /** Carries out what waits, one command after the other; resolves to how many there were. */
  carryOut(agent: Pick<Agent, 'post'>): Promise<number>;
};

/** `fence` is the number of the claim under which the session is run. */
export function createHearing(commands: CommandChannel, session: string, fence?: number): Hearing {
  /** The commands whose events the machine has seen. */
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
        // A command that means nothing here leads to no event that would take it away, so it is dropped. One that the
        // machine has not seen is left to whoever runs the session next.
        if (!isTaken && (command === null || heard.has(id))) await commands.drop(session, id, fence);
        heard.delete(id);
      }
      return waiting.length;
    },
  };
}
