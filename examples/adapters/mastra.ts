import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createTool } from '@mastra/core/tools';
import { governorProcessor } from '@pawl/adapters/mastra';
import { z } from 'zod';
import { scriptedModel } from './ai-sdk-model.ts';
import { compare, tools } from './scripts.ts';

await compare(async (script, isGoverned) => {
  const model = scriptedModel(script);
  const agent = new Agent({
    id: 'assistant',
    name: 'Assistant',
    instructions: 'You are helpful.',
    // Mastra knows the model by another release of the same types.
    model: model as object as MastraModelConfig,
    tools: {
      read: createTool({
        id: 'read',
        description: 'Reads a file',
        inputSchema: z.object({ path: z.string() }),
        execute: async ({ path }) => tools.read(path),
      }),
      run: createTool({
        id: 'run',
        description: 'Runs a command',
        inputSchema: z.object({ command: z.string() }),
        execute: async ({ command }) => tools.run(command),
      }),
    },
    inputProcessors: isGoverned ? [governorProcessor()] : [],
  });
  const { text } = await agent.generate('When do we ship?', { maxSteps: 20 });
  return { steps: model.doGenerateCalls.length, text };
});
