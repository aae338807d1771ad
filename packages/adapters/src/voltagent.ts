import type { ModelMessage } from 'ai';
import { createLoopGovernor, type PrepareStepHook, type StopRule } from './ai-sdk-loop.ts';
import { findRefusalReason } from './governor-decision.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

type ToolStart = {
  readonly tool: { readonly name: string };
  readonly args: unknown;
  readonly options?: { readonly toolContext?: { readonly messages?: unknown } };
};

/** The options of a VoltAgent agent that the governor uses. */
type AgentSettings = {
  readonly prepareStep?: PrepareStepHook | undefined;
  readonly stopWhen?: StopRule | readonly StopRule[] | undefined;
  readonly maxSteps?: number | undefined;
  readonly hooks?: { readonly onToolStart?: (start: ToolStart) => unknown } | undefined;
};

/**
 * Governs an agent of VoltAgent: `new Agent(governAgentOptions({ name, model, … }))`. Existing hooks, `prepareStep`,
 * `stopWhen` and `maxSteps` stay in effect. Without a limit, the agent runs until the work is done or the governor ends
 * it.
 */
export function governAgentOptions<Options extends object>(
  agentOptions: Options,
  options: GovernOptions = {},
): Options {
  const { prepareStep, stopWhen = [], maxSteps, hooks } = agentOptions as AgentSettings;
  const loop = createLoopGovernor(options, normalizeToolErrors);
  const governedOptions: AgentSettings = {
    ...agentOptions,
    prepareStep: async (step) => loop.prepare(step, await prepareStep?.(step)),
    stopWhen: [
      ...(typeof stopWhen === 'function' ? [stopWhen] : stopWhen),
      // VoltAgent ignores `maxSteps` if there is a stop condition.
      ...(maxSteps === undefined ? [] : [createStepLimit(maxSteps)]),
      loop.isOver,
    ],
    hooks: {
      ...hooks,
      onToolStart: async (start) => {
        const messages = (start.options?.toolContext?.messages ?? []) as readonly ModelMessage[];
        const call = { tool: start.tool.name, args: start.args };
        const reason = findRefusalReason(loop.judge(messages), call);
        // VoltAgent reports the error to the model as the result of the call.
        if (reason !== null) throw new Error(reason);
        await hooks?.onToolStart?.(start);
      },
    },
  };
  // Each option is replaced by one of the same type.
  return governedOptions as Options;
}

function createStepLimit(maxSteps: number): StopRule {
  return ({ steps }) => steps.length >= maxSteps;
}

/** VoltAgent reports a failed call as a successful result with the error's details, some of which differ each time. */
function normalizeToolErrors(message: ModelMessage): ModelMessage {
  if (message.role !== 'tool') return message;
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result' || part.output.type !== 'json') return part;
    const text = readToolError(part.output.value);
    return text === null ? part : { ...part, output: { type: 'error-text' as const, value: text } };
  });
  return { ...message, content };
}

function readToolError(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('error' in value) || value.error !== true) return null;
  return 'message' in value && typeof value.message === 'string' ? value.message : JSON.stringify(value);
}
