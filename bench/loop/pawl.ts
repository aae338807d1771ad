import { conversationOf, createSession, type GovernorSettings } from '@pawl/core';
import { Agent, answerOf, createAiSdkModel, type Model } from '@pawl/runtime';
import { modelFor, toolThat } from '../durable/pawl-parts.ts';
import { goal } from '../durable/work.ts';
import { modelFor as aiSdkModelFor } from './ai-sdk-model.ts';
import type { LoopContender } from './contender.ts';

const governed: GovernorSettings = { preset: 'pawl', rules: {} };

export const pawl: LoopContender = pawlWith('Pawl', governed, modelFor);
/** Without the governor, which no peer has. */
export const pawlUngoverned: LoopContender = pawlWith(
  'Pawl, no governor',
  { preset: 'none', rules: {} },
  modelFor,
);
/** With the very model that the AI SDK is measured with, so that all that is sent is put into its form in each step. */
export const pawlOnAiSdk: LoopContender = pawlWith('Pawl, model of the AI SDK', governed, (steps) =>
  createAiSdkModel(aiSdkModelFor(steps)),
);

function pawlWith(name: string, governor: GovernorSettings, model: (steps: number) => Model): LoopContender {
  return {
    name,
    version: null,
    async run({ steps, tick }) {
      const session = createSession({ id: 'bench', at: Date.now(), settings: { compact: true, governor } });
      const agent = new Agent({ session, model: model(steps), tools: [toolThat(tick)] });
      await agent.say(goal);
      return answerOf(conversationOf(await agent.idle())) ?? '';
    },
  };
}
