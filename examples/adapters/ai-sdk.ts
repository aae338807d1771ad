import { governed } from '@pawl/adapters/ai-sdk';
import { isStepCount, tool, ToolLoopAgent } from 'ai';
import { z } from 'zod';
import { scriptedModel } from './ai-sdk-model.ts';
import { compare, tools } from './scripts.ts';

await compare(async (script, isGoverned) => {
  const settings = {
    model: scriptedModel(script),
    tools: {
      read: tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => tools.read(path) }),
      run: tool({
        inputSchema: z.object({ command: z.string() }),
        execute: (input) => tools.run(input.command),
      }),
    },
    stopWhen: isStepCount(20),
  };
  const agent = new ToolLoopAgent(isGoverned ? governed(settings) : settings);
  const { steps, text } = await agent.generate({ prompt: 'When do we ship?' });
  return { steps: steps.length, text };
});
