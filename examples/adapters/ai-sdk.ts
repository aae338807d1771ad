import { governLoopSettings } from '@pawl/adapters/ai-sdk';
import { isStepCount, tool, ToolLoopAgent } from 'ai';
import { z } from 'zod';
import { createScriptedAiSdkModel } from './ai-sdk-model.ts';
import { compareGoverned, exampleTools } from './scripts.ts';

await compareGoverned(async (script, isGoverned) => {
  const settings = {
    model: createScriptedAiSdkModel(script),
    tools: {
      read: tool({
        inputSchema: z.object({ path: z.string() }),
        execute: ({ path }) => exampleTools.read(path),
      }),
      run: tool({
        inputSchema: z.object({ command: z.string() }),
        execute: (input) => exampleTools.run(input.command),
      }),
    },
    stopWhen: isStepCount(20),
  };
  const agent = new ToolLoopAgent(isGoverned ? governLoopSettings(settings) : settings);
  const { steps, text } = await agent.generate({ prompt: 'When do we ship?' });
  return { steps: steps.length, text };
});
