import type { Json } from '@pawl/core';
import type {
  ProcessInputStepArgs,
  ProcessInputStepResult,
  ProcessLLMRequestArgs,
  ProcessLLMRequestResult,
  Processor,
} from '@mastra/core/processors';
import { createConversationJudge } from './conversation-judge.ts';
import type { GovernorDecision } from './governor-decision.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

export type GovernorProcessor = {
  readonly id: 'pawl-governor';
  readonly processInputStep: (step: ProcessInputStepArgs) => ProcessInputStepResult | undefined;
  readonly processLLMRequest: (request: ProcessLLMRequestArgs) => ProcessLLMRequestResult;
};

/**
 * The key under which a step's decision is passed to its request, in the state that Mastra keeps per processor and run.
 */
const decisionKey = 'governorDecision';

/** Governs a Mastra agent: `new Agent({ …, inputProcessors: [createGovernorProcessor()] })`. */
export function createGovernorProcessor(options: GovernOptions = {}): GovernorProcessor {
  const judge = createConversationJudge<object>(options, (message) => message as Json);
  return {
    id: 'pawl-governor',
    processInputStep({ messageList, state }) {
      const decision = judge(messageList.get.all.aiV5.model());
      state[decisionKey] = decision;
      return decision.dropTools ? { activeTools: [], toolChoice: 'none' } : undefined;
    },
    // Additions made here are sent to the model but not stored in the conversation.
    processLLMRequest({ prompt, state }) {
      const { advice } = state[decisionKey] as GovernorDecision;
      if (advice === null) return undefined;
      return { prompt: [...prompt, { role: 'user', content: [{ type: 'text', text: advice }] }] };
    },
  } satisfies Processor<'pawl-governor'>;
}
