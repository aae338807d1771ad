import type { Json } from '@pawl/core';
import type {
  ProcessInputStepArgs,
  ProcessInputStepResult,
  ProcessLLMRequestArgs,
  ProcessLLMRequestResult,
  Processor,
} from '@mastra/core/processors';
import { createFollower } from './follower.ts';
import type { Judgement } from './judgement.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

export type GovernorProcessor = {
  readonly id: 'pawl-governor';
  readonly processInputStep: (step: ProcessInputStepArgs) => ProcessInputStepResult | undefined;
  readonly processLLMRequest: (request: ProcessLLMRequestArgs) => ProcessLLMRequestResult;
};

/** Where the judgement of a step waits for its request, in the state that Mastra keeps for each processor and run. */
const judgementKey = 'judgement';

/** Governs a Mastra agent: `new Agent({ …, inputProcessors: [governorProcessor()] })`. */
export function governorProcessor(options: GovernOptions = {}): GovernorProcessor {
  const judge = createFollower<object>(options, (message) => message as Json);
  return {
    id: 'pawl-governor',
    processInputStep({ messageList, state }) {
      const judgement = judge(messageList.get.all.aiV5.model());
      state[judgementKey] = judgement;
      return judgement.dropTools ? { activeTools: [], toolChoice: 'none' } : undefined;
    },
    // What is added here goes to the model and nowhere else.
    processLLMRequest({ prompt, state }) {
      const { advice } = state[judgementKey] as Judgement;
      if (advice === null) return undefined;
      return { prompt: [...prompt, { role: 'user', content: [{ type: 'text', text: advice }] }] };
    },
  } satisfies Processor<'pawl-governor'>;
}
