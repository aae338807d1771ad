import { generateText, isStepCount, streamText, tool } from 'ai';
import { z } from 'zod';
import { benchGoal, readBenchPage } from '../durable/bench-session.ts';
import { getPackageVersion } from '../lib/environment.ts';
import { createInstantAiSdkModel } from './ai-sdk-model.ts';
import type { LoopContender, LoopWork } from './contender.ts';

const aiSdkVersion = getPackageVersion('ai', import.meta.url);

export const aiSdkContender: LoopContender = {
  name: 'AI SDK generateText',
  version: aiSdkVersion,
  run: async (work) => (await generateText(createAiSdkSettings(work))).text,
};

export const aiSdkStreamContender: LoopContender = {
  name: 'AI SDK streamText',
  version: aiSdkVersion,
  run: async (work) => await streamText(createAiSdkSettings(work)).text,
};

function createAiSdkSettings({ steps, tick }: LoopWork) {
  return {
    model: createInstantAiSdkModel(steps),
    prompt: benchGoal,
    stopWhen: isStepCount(steps + 1),
    tools: {
      read: tool({
        description: 'Reads a page of a file.',
        inputSchema: z.object({ path: z.string(), from: z.number() }),
        execute(page) {
          tick();
          return readBenchPage(page);
        },
      }),
    },
  };
}
