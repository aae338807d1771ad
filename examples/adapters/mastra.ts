import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createTool } from '@mastra/core/tools';
import { createGovernorProcessor } from '@pawl/adapters/mastra';
import { z } from 'zod';
import { createScriptedAiSdkModel } from './ai-sdk-model.ts';
import { compareGoverned, exampleTools } from './scripts.ts';

await compareGoverned(async (script, isGoverned) => {
  const model = createScriptedAiSdkModel(script);
  const agent = new Agent({
    id: 'assistant',
    name: 'Assistant',
    instructions: 'You are helpful.',
    // Mastra uses another version of the same model types.
    model: model as object as MastraModelConfig,
    tools: {
      read: createTool({
        id: 'read',
        description: 'Reads a file',
        inputSchema: z.object({ path: z.string() }),
        execute: async ({ path }) => exampleTools.read(path),
      }),
      run: createTool({
        id: 'run',
        description: 'Runs a command',
        inputSchema: z.object({ command: z.string() }),
        execute: async ({ command }) => exampleTools.run(command),
      }),
    },
    inputProcessors: isGoverned ? [createGovernorProcessor()] : [],
  });
  const { text } = await agent.generate('When do we ship?', { maxSteps: 20 });
  return { steps: model.doGenerateCalls.length, text };
});
