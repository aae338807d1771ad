import { Agent, Runner, setTracingDisabled, tool, type Model } from '@openai/agents';
import { assistantMessage, functionCall } from '@openai/agents/testing';
import { Usage } from '@openai/agents';
import { z } from 'zod';
import { answer, askedAt, goal, read } from '../durable/work.ts';
import { versionOf } from '../lib/environment.ts';
import type { LoopContender } from './contender.ts';

export const openaiAgents: LoopContender = {
  name: 'OpenAI Agents JS',
  version: versionOf('@openai/agents', import.meta.url),
  async run({ steps, tick }) {
    setTracingDisabled(true);
    const agent = new Agent({
      name: 'bench',
      model: modelFor(steps),
      tools: [
        tool({
          name: 'read',
          description: 'Reads a page of a file.',
          parameters: z.object({ path: z.string(), from: z.number() }),
          execute(page) {
            tick();
            return read(page);
          },
        }),
      ],
    });
    const { finalOutput = '' } = await new Runner().run(agent, goal, { maxTurns: steps + 2 });
    return finalOutput;
  },
};

/** Answers at once. Its own scripted model would keep every request it was sent. */
function modelFor(steps: number): Model {
  let step = 0;
  return {
    async getResponse() {
      if (step === steps) return { usage: new Usage(), output: [assistantMessage(answer)] };
      const { text, callId, page } = askedAt(step);
      step += 1;
      return {
        usage: new Usage(),
        output: [assistantMessage(text), functionCall('read', page, { callId })],
      };
    },
    // eslint-disable-next-line require-yield -- nobody asks for a stream
    async *getStreamedResponse() {
      throw new Error('This model does not stream.');
    },
  };
}
