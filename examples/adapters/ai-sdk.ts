import { governed } from '@pawl/adapters/ai-sdk';
import { isStepCount, tool, ToolLoopAgent } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { compare, tools, type Script } from './scripts.ts';

await compare(async (script, isGoverned) => {
  const settings = {
    model: scripted(script),
    tools: {
      read: tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => tools.read(path) }),
      run: tool({ inputSchema: z.object({ command: z.string() }), execute: (input) => tools.run(input.command) }),
    },
    stopWhen: isStepCount(20),
  };
  const agent = new ToolLoopAgent(isGoverned ? governed(settings) : settings);
  const { steps, text } = await agent.generate({ prompt: 'When do we ship?' });
  return { steps: steps.length, text };
});

/** A model that follows a script. */
function scripted(script: Script): MockLanguageModelV4 {
  let callsMade = 0;
  return new MockLanguageModelV4({
    doGenerate: async (request) => {
      const move = script(callsMade, (request.tools ?? []).length > 0);
      callsMade += 1;
      return {
        content: [
          'text' in move
            ? { type: 'text', text: move.text }
            : {
                type: 'tool-call',
                toolCallId: `call_${callsMade}`,
                toolName: move.call.tool,
                input: JSON.stringify(move.call.args),
              },
        ],
        finishReason: { unified: 'text' in move ? 'stop' : 'tool-calls', raw: undefined },
        usage: {
          inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 5, text: 5, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
}
