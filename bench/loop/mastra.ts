import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { benchGoal, readBenchPage } from '../durable/bench-session.ts';
import { getPackageVersion } from '../lib/environment.ts';
import { createInstantAiSdkModel } from './ai-sdk-model.ts';
import type { LoopContender } from './contender.ts';

export const mastraContender: LoopContender = {
  name: 'Mastra',
  version: getPackageVersion('@mastra/core', import.meta.url),
  async run({ steps, tick }) {
    const agent = new Agent({
      id: 'bench',
      name: 'bench',
      instructions: 'You are helpful.',
      // Mastra uses another version of the same model types.
      model: createInstantAiSdkModel(steps) as object as MastraModelConfig,
      tools: {
        read: createTool({
          id: 'read',
          description: 'Reads a page of a file.',
          inputSchema: z.object({ path: z.string(), from: z.number() }),
          async execute(page) {
            tick();
            return readBenchPage(page);
          },
        }),
      },
    });
    const { text } = await agent.generate(benchGoal, { maxSteps: steps + 1 });
    return text;
  },
};
