import type { Json } from '@pawl/core';
import type {
  AgentInputItem,
  FunctionTool,
  Model,
  ModelProvider,
  ModelRequest,
  ModelResponse,
  StreamEvent,
  Tool,
} from '@openai/agents';
import { fingerprintCall } from './conversation-state.ts';
import { createConversationJudge } from './conversation-judge.ts';
import { findRefusalReason, formatFallbackAnswer, type GovernorDecision } from './governor-decision.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

export type AgentsGovernor = {
  /** For `new Runner({ modelProvider })`: governs every model referenced by name. */
  readonly modelProvider: (provider: ModelProvider) => ModelProvider;
  /** For `new Agent({ model })`: governs a model passed as an object. */
  readonly model: (model: Model) => Model;
  /** For `new Agent({ tools })`: makes function tools answer blocked calls with the reason. */
  readonly tools: <Each extends Tool<never>>(tools: readonly Each[]) => Each[];
};

type ModelOutput = ModelResponse['output'];

/** Maximum number of blocked calls stored, because tools not passed to `tools` never consume theirs. */
const refusedCallsMax = 64;

/**
 * Governs agents of the OpenAI Agents SDK at the model, which receives the whole conversation; advice added to a
 * request there does not appear in sessions or results.
 */
export function createAgentsGovernor(options: GovernOptions = {}): AgentsGovernor {
  const judge = createConversationJudge<AgentInputItem>(options, createItemReader());
  /** The answers for blocked calls that the model has just requested, by call id. */
  const refused = new Map<string, string>();

  const noteRefused = (decision: GovernorDecision, output: ModelOutput): void => {
    for (const item of output) {
      if (item.type !== 'function_call') continue;
      const because = findRefusalReason(decision, {
        tool: item.name,
        args: parseFunctionArguments(item.arguments),
      });
      if (because !== null) refused.set(item.callId, because);
    }
    for (const id of refused.keys()) if (refused.size > refusedCallsMax) refused.delete(id);
  };
  const received = (decision: GovernorDecision, output: ModelOutput): ModelOutput => {
    if (decision.dropTools) return toFinalOutput(output, decision);
    noteRefused(decision, output);
    return output;
  };
  const model = (inner: Model): Model => ({
    ...(inner.supportsPromptModelSelection !== undefined && {
      supportsPromptModelSelection: inner.supportsPromptModelSelection,
    }),
    async getResponse(request) {
      const decision = judge(toInputItems(request));
      const response = await inner.getResponse(applyDecision(request, decision));
      const output = received(decision, response.output);
      return output === response.output ? response : { ...response, output };
    },
    async *getStreamedResponse(request) {
      const decision = judge(toInputItems(request));
      for await (const event of inner.getStreamedResponse(applyDecision(request, decision))) {
        yield event.type === 'response_done'
          ? replaceResponseOutput(event, (output) => received(decision, output))
          : event;
      }
    },
    ...(inner.getRetryAdvice !== undefined && { getRetryAdvice: inner.getRetryAdvice.bind(inner) }),
  });
  return {
    model,
    modelProvider: (provider) => ({ getModel: async (name) => model(await provider.getModel(name)) }),
    tools: (tools) =>
      tools.map((tool) => (tool.type === 'function' ? guardFunctionTool(tool, refused) : tool)),
  };
}

function toInputItems({ input }: ModelRequest): readonly AgentInputItem[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input;
}

/** Returns the same request, or one with the advice appended and, for the final reply, without tools and handoffs. */
function applyDecision(request: ModelRequest, { advice, dropTools }: GovernorDecision): ModelRequest {
  if (advice === null) return request;
  const input: AgentInputItem[] = [...toInputItems(request), { role: 'user', content: advice }];
  if (!dropTools) return { ...request, input };
  const { toolChoice: _, parallelToolCalls: __, ...modelSettings } = request.modelSettings;
  return { ...request, input, modelSettings, tools: [], handoffs: [], toolsExplicitlyProvided: true };
}

/** Returns the final output without calls, which would not be run. */
function toFinalOutput(output: ModelOutput, { finish }: GovernorDecision): ModelOutput {
  if (!output.some(({ type }) => type?.endsWith('_call'))) return output;
  const outputWithoutCalls = output.filter(({ type }) => !type?.endsWith('_call'));
  if (outputWithoutCalls.some(({ type }) => type === 'message')) return outputWithoutCalls;
  const text = { type: 'output_text', text: formatFallbackAnswer(finish) } as const;
  return [
    ...outputWithoutCalls,
    { type: 'message', role: 'assistant', status: 'completed', content: [text] },
  ];
}

type ResponseDoneEvent = Extract<StreamEvent, { readonly type: 'response_done' }>;

function replaceResponseOutput(
  event: ResponseDoneEvent,
  received: (output: ModelOutput) => ModelOutput,
): StreamEvent {
  const output = received(event.response.output);
  if (output === event.response.output) return event;
  // The SDK declares the type of the same items in two ways.
  return {
    ...event,
    response: { ...event.response, output: output as ResponseDoneEvent['response']['output'] },
  };
}

/** Wraps a tool so that a blocked call returns the reason. */
function guardFunctionTool<Each extends Tool<never>>(tool: Each, refused: Map<string, string>): Each {
  const { invoke } = tool as unknown as FunctionTool;
  const run: typeof invoke = async (context, input, details) => {
    const id = details?.toolCall?.callId ?? '';
    const because = refused.get(id);
    if (because === undefined) return invoke.call(tool, context, input, details);
    refused.delete(id);
    return because;
  };
  return { ...tool, invoke: run };
}

/** The SDK's default text for any tool failure. */
const genericFailureText = 'An error occurred while running the tool. Please try again.';

/**
 * Reads items as JSON. The SDK reports every failure with the same text, so the call's fingerprint is appended to
 * distinguish different failures.
 */
function createItemReader(): (item: AgentInputItem) => Json {
  const calls = new Map<string, string>();
  return (item) => {
    if (item.type === 'function_call') {
      calls.set(
        item.callId,
        encodeDigits(
          fingerprintCall({ tool: item.name, args: parseFunctionArguments(item.arguments) as Json }),
        ),
      );
      for (const id of calls.keys()) if (calls.size > trackedCallsMax) calls.delete(id);
    }
    if (item.type !== 'function_call_result' || getOutputText(item.output) !== genericFailureText)
      return item as Json;
    return { ...item, output: `${genericFailureText} ${calls.get(item.callId) ?? ''}` } as Json;
  };
}

/** Calls and their results are close together, so few need tracking. */
const trackedCallsMax = 256;

function getOutputText(output: unknown): unknown {
  const isText = typeof output === 'object' && output !== null && 'text' in output;
  return isText ? output.text : output;
}

/** The governor ignores digits, because they often change between otherwise equal texts. */
function encodeDigits(fingerprint: string): string {
  return fingerprint.replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));
}

/** Arguments arrive as the text that the model wrote. */
function parseFunctionArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
