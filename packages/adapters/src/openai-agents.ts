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
import { keyOf } from './follow.ts';
import { createFollower } from './follower.ts';
import { refusalOf, type Judgement } from './judgement.ts';
import { answerInstead } from './answer-instead.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

export type AgentsGovernor = {
  /** For `new Runner({ modelProvider })`: governs every model that is named. */
  readonly modelProvider: (provider: ModelProvider) => ModelProvider;
  /** For `new Agent({ model })`: governs a model that is given as an object. */
  readonly model: (model: Model) => Model;
  /** For `new Agent({ tools })`: lets function tools answer refused calls with the reason. */
  readonly tools: <Each extends Tool<never>>(tools: readonly Each[]) => Each[];
};

type Output = ModelResponse['output'];

/** How many refused calls are remembered whose tool never asks: those that were not handed to `tools`. */
const refusedMax = 64;

/**
 * Governs agents of the OpenAI Agents SDK at the model, where the whole conversation comes by: what is added to a request
 * there is in no session and no result.
 */
export function agentsGovernor(options: GovernOptions = {}): AgentsGovernor {
  const judge = createFollower<AgentInputItem>(options, itemReader());
  /** What refused calls that the model has just asked for are to be answered with, by their ids. */
  const refused = new Map<string, string>();

  const noteRefused = (judgement: Judgement, output: Output): void => {
    for (const item of output) {
      if (item.type !== 'function_call') continue;
      const because = refusalOf(judgement, { tool: item.name, args: argsOf(item.arguments) });
      if (because !== null) refused.set(item.callId, because);
    }
    for (const id of refused.keys()) if (refused.size > refusedMax) refused.delete(id);
  };
  const received = (judgement: Judgement, output: Output): Output => {
    if (judgement.dropTools) return lastOutput(output, judgement);
    noteRefused(judgement, output);
    return output;
  };
  const model = (inner: Model): Model => ({
    ...(inner.supportsPromptModelSelection !== undefined && {
      supportsPromptModelSelection: inner.supportsPromptModelSelection,
    }),
    async getResponse(request) {
      const judgement = judge(itemsOf(request));
      const response = await inner.getResponse(governedRequest(request, judgement));
      const output = received(judgement, response.output);
      return output === response.output ? response : { ...response, output };
    },
    async *getStreamedResponse(request) {
      const judgement = judge(itemsOf(request));
      for await (const event of inner.getStreamedResponse(governedRequest(request, judgement))) {
        yield event.type === 'response_done' ? done(event, (output) => received(judgement, output)) : event;
      }
    },
    ...(inner.getRetryAdvice !== undefined && { getRetryAdvice: inner.getRetryAdvice.bind(inner) }),
  });
  return {
    model,
    modelProvider: (provider) => ({ getModel: async (name) => model(await provider.getModel(name)) }),
    tools: (tools) => tools.map((tool) => (tool.type === 'function' ? guarded(tool, refused) : tool)),
  };
}

function itemsOf({ input }: ModelRequest): readonly AgentInputItem[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input;
}

/** The very same request, or one with advice at its end and, if it is the last, without anything to call. */
function governedRequest(request: ModelRequest, { advice, dropTools }: Judgement): ModelRequest {
  if (advice === null) return request;
  const input: AgentInputItem[] = [...itemsOf(request), { role: 'user', content: advice }];
  if (!dropTools) return { ...request, input };
  const { toolChoice: _, parallelToolCalls: __, ...modelSettings } = request.modelSettings;
  return { ...request, input, modelSettings, tools: [], handoffs: [], toolsExplicitlyProvided: true };
}

/** What was said at the end, without calls that nobody will carry out any more. */
function lastOutput(output: Output, { finish }: Judgement): Output {
  if (!output.some(({ type }) => type?.endsWith('_call'))) return output;
  const said = output.filter(({ type }) => !type?.endsWith('_call'));
  if (said.some(({ type }) => type === 'message')) return said;
  const text = { type: 'output_text', text: answerInstead(finish) } as const;
  return [...said, { type: 'message', role: 'assistant', status: 'completed', content: [text] }];
}

type Done = Extract<StreamEvent, { readonly type: 'response_done' }>;

function done(event: Done, received: (output: Output) => Output): StreamEvent {
  const output = received(event.response.output);
  if (output === event.response.output) return event;
  // The SDK writes the type of the same items in two ways.
  return { ...event, response: { ...event.response, output: output as Done['response']['output'] } };
}

/** The tool as it is, except that it answers a refused call with the reason. */
function guarded<Each extends Tool<never>>(tool: Each, refused: Map<string, string>): Each {
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

/** What the SDK tells the model about any failure, unless it is configured otherwise. */
const anyFailure = 'An error occurred while running the tool. Please try again.';

/**
 * Reads items as JSON. The SDK tells every failure in the same words, which does not make them the same failure: so the call is
 * put beside the words.
 */
function itemReader(): (item: AgentInputItem) => Json {
  const calls = new Map<string, string>();
  return (item) => {
    if (item.type === 'function_call') {
      calls.set(item.callId, inLetters(keyOf({ tool: item.name, args: argsOf(item.arguments) as Json })));
      for (const id of calls.keys()) if (calls.size > callsMax) calls.delete(id);
    }
    if (item.type !== 'function_call_result' || textOf(item.output) !== anyFailure) return item as Json;
    return { ...item, output: `${anyFailure} ${calls.get(item.callId) ?? ''}` } as Json;
  };
}

/** Calls and their results come close together. */
const callsMax = 256;

function textOf(output: unknown): unknown {
  const isText = typeof output === 'object' && output !== null && 'text' in output;
  return isText ? output.text : output;
}

/** The governor passes over digits, which change by themselves too often. */
function inLetters(fingerprint: string): string {
  return fingerprint.replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));
}

/** Arguments come as the text that the model wrote. */
function argsOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
