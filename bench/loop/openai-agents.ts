import { Agent, Runner, setTracingDisabled, tool, type Model } from '@openai/agents';
import { assistantMessage, functionCall } from '@openai/agents/testing';
import { Usage } from '@openai/agents';
import { z } from 'zod';
import { benchAnswer, createPageRequest, benchGoal, readBenchPage } from '../durable/bench-session.ts';
import { getPackageVersion } from '../lib/environment.ts';
import type { LoopContender } from './contender.ts';

export const openaiAgentsContender: LoopContender = {
  name: 'OpenAI Agents JS',
  version: getPackageVersion('@openai/agents', import.meta.url),
  async run({ steps, tick }) {
    setTracingDisabled(true);
    const agent = new Agent({
      name: 'bench',
      model: createOpenAiAgentsModel(steps),
      tools: [
        tool({
          name: 'read',
          description: 'Reads a page of a file.',
          parameters: z.object({ path: z.string(), from: z.number() }),
          execute(page) {
            tick();
            return readBenchPage(page);
          },
        }),
      ],
    });
    const { finalOutput = '' } = await new Runner().run(agent, benchGoal, { maxTurns: steps + 2 });
    return finalOutput;
  },
};

/** A model that answers immediately. The library's scripted model is not used because it stores every request. */
function createOpenAiAgentsModel(steps: number): Model {
  let step = 0;
  return {
    async getResponse() {
      if (step === steps) return { usage: new Usage(), output: [assistantMessage(benchAnswer)] };
      const { text, callId, page } = createPageRequest(step);
      step += 1;
      return {
        usage: new Usage(),
        output: [assistantMessage(text), functionCall('read', page, { callId })],
      };
    },
    // eslint-disable-next-line require-yield -- streaming is not used
    async *getStreamedResponse() {
      throw new Error('This model does not stream.');
    },
  };
}
