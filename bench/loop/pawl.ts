import { getConversation, createSession, type GovernorSettings } from '@pawl/core';
import { Agent, findTurnAnswer, type Model } from '@pawl/runtime';
import { createAiSdkModel } from '@pawl/runtime/models';
import { createInstantModel, createTickingTool } from '../durable/instant-model.ts';
import { benchGoal } from '../durable/bench-session.ts';
import { createInstantAiSdkModel as aiSdkModelFor } from './ai-sdk-model.ts';
import type { LoopContender } from './contender.ts';

const governorSettings: GovernorSettings = { preset: 'pawl', rules: {} };

export const loopPawlContender: LoopContender = createLoopPawl('Pawl', governorSettings, createInstantModel);
/** Without the governor, which no peer has. */
export const loopPawlUngoverned: LoopContender = createLoopPawl(
  'Pawl, no governor',
  { preset: 'none', rules: {} },
  createInstantModel,
);
/** Uses the same model as the AI SDK contender, so that every step converts the request to the AI SDK's format. */
export const pawlOnAiSdk: LoopContender = createLoopPawl(
  'Pawl, model of the AI SDK',
  governorSettings,
  (steps) => createAiSdkModel(aiSdkModelFor(steps)),
);

function createLoopPawl(
  name: string,
  governor: GovernorSettings,
  model: (steps: number) => Model,
): LoopContender {
  return {
    name,
    version: null,
    async run({ steps, tick }) {
      const session = createSession({ id: 'bench', at: Date.now(), settings: { compact: true, governor } });
      const agent = new Agent({ session, model: model(steps), tools: [createTickingTool(tick)] });
      await agent.sendMessage(benchGoal);
      return findTurnAnswer(getConversation(await agent.waitUntilIdle())) ?? '';
    },
  };
}
