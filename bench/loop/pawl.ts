import { conversationOf, createSession, type GovernorSettings } from '@pawl/core';
import { Agent, answerOf, createAiSdkModel, type Model, type Tool } from '@pawl/runtime';
import { answer, askedAt, goal, read, type Page } from '../durable/work.ts';
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

function modelFor(steps: number): Model {
  let step = 0;
  return {
    name: 'zero latency',
    async *stream() {
      if (step === steps) {
        yield { type: 'reply', text: answer, calls: [] };
        return;
      }
      const { text, callId, page } = askedAt(step);
      step += 1;
      yield { type: 'reply', text, calls: [{ id: callId, tool: 'read', args: page }] };
    },
  };
}

function toolThat(tick: () => void): Tool {
  return {
    description: { name: 'read', description: 'Reads a page of a file.', parameters: { type: 'object' } },
    effect: 'read-only',
    async run(args) {
      tick();
      return { ok: true, output: read(args as Page) };
    },
  };
}
