import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { goal, read } from '../durable/work.ts';
import { versionOf } from '../lib/environment.ts';
import { modelFor } from './ai-sdk-model.ts';
import type { LoopContender } from './contender.ts';

export const mastra: LoopContender = {
  name: 'Mastra',
  version: versionOf('@mastra/core', import.meta.url),
  async run({ steps, tick }) {
    const agent = new Agent({
      id: 'bench',
      name: 'bench',
      instructions: 'You are helpful.',
      // Mastra knows the model by another release of the same types.
      model: modelFor(steps) as object as MastraModelConfig,
      tools: {
        read: createTool({
          id: 'read',
          description: 'Reads a page of a file.',
          inputSchema: z.object({ path: z.string(), from: z.number() }),
          async execute(page) {
            tick();
            return read(page);
          },
        }),
      },
    });
    const { text } = await agent.generate(goal, { maxSteps: steps + 1 });
    return text;
  },
};
