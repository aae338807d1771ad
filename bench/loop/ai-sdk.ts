import { generateText, isStepCount, streamText, tool } from 'ai';
import { z } from 'zod';
import { goal, read } from '../durable/work.ts';
import { versionOf } from '../lib/environment.ts';
import { modelFor } from './ai-sdk-model.ts';
import type { LoopContender, Work } from './contender.ts';

const version = versionOf('ai', import.meta.url);

export const aiSdk: LoopContender = {
  name: 'AI SDK generateText',
  version,
  run: async (work) => (await generateText(settingsFor(work))).text,
};

export const aiSdkStream: LoopContender = {
  name: 'AI SDK streamText',
  version,
  run: async (work) => await streamText(settingsFor(work)).text,
};

function settingsFor({ steps, tick }: Work) {
  return {
    model: modelFor(steps),
    prompt: goal,
    stopWhen: isStepCount(steps + 1),
    tools: {
      read: tool({
        description: 'Reads a page of a file.',
        inputSchema: z.object({ path: z.string(), from: z.number() }),
        execute(page) {
          tick();
          return read(page);
        },
      }),
    },
  };
}
