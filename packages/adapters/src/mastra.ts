import type { Json } from '@pawl/core';
import type { Processor, ProcessInputStepArgs, ProcessLLMRequestArgs } from '@mastra/core/processors';
import { createFollower } from './follower.ts';
import type { Judgement } from './judgement.ts';
import type { GovernOptions } from './options.ts';
console.log
export type { GovernOptions } from './options.ts';

export function governorProcessor(options: GovernOptions = {}): Processor<'pawl-governor'> {
  const judge = createFollower<object>(options, (message) => message as Json);
  const key = 'pawl';
  return {
    id: 'pawl-governor',
    processInputStep({ messageList, state, stepNumber, steps }: ProcessInputStepArgs) {
      const messages = messageList.get.all.aiV5.model();
      const judgement = judge(messages);
      state[key] = judgement;
      console.log(stepNumber, messages.length, JSON.stringify(messages.at(-1)).slice(0,300), judgement.advice?.slice(60,100), steps.length);
      return judgement.dropTools ? { activeTools: [], toolChoice: 'none' as const } : undefined;
    },
    processLLMRequest({ prompt, state }: ProcessLLMRequestArgs) {
      const { advice = null } = (state[key] ?? {}) as Partial<Judgement>;
      if (advice === null) return undefined;
      return { prompt: [...prompt, { role: 'user', content: [{ type: 'text', text: advice }] }] };
    },
  };
}
