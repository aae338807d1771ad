import type {
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { ModelError } from '@pawl/core';
import { classifyError } from '../classify-error.ts';
import { limitsWith, startDeadlines, type Deadlines, type ModelLimits } from '../deadlines.ts';
import type { Model, ModelChunk, ModelRequest } from '../model.ts';
import { checkPrices, type Prices } from '../prices.ts';
import { PartCollector, type Sent, type StreamPart } from './ai-sdk-parts.ts';
import { formerTools, promptFor, toolsFor } from './ai-sdk-prompt.ts';
import { replyOf } from './ai-sdk-reply.ts';
import { createAttachments, type Attachments } from './attachments.ts';
import { redact } from './redact.ts';
import { wireNamesFor, type WireNames } from './wire-names.ts';

export type AiSdkModelOptions = {
  /** What the model is called in messages; the provider's own names for it unless given. */
  readonly name?: string;
  /**
   * How the model says what it wants; `native` unless given. For the protocols of text no tools are offered to the
   * provider, and for `json` it is asked for JSON: wrap the model in `speakIn`.
   */
  readonly protocol?: 'native' | 'json' | 'xml';
  readonly limits?: Partial<ModelLimits>;
  readonly prices?: Prices;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** Passed on to the provider as it is. */
  readonly providerOptions?: SharedV4ProviderOptions;
  /** What must never stand in a message, such as the API key. */
  readonly secrets?: readonly string[];
};

type Setup = {
  readonly model: LanguageModelV3 | LanguageModelV4;
  readonly name: string;
  readonly options: AiSdkModelOptions;
  readonly limits: ModelLimits;
  readonly attachments: Attachments;
};

/**
 * Any model of the AI SDK as a model of ours. The provider's own `doStream` is used, which tries once: trying again is the
 * machine's business. Throws when a limit or a price is no number, or the model is too old; a request never throws.
 */
export function createAiSdkModel(
  model: LanguageModelV3 | LanguageModelV4,
  options: AiSdkModelOptions = {},
): Model {
  const version: string = model.specificationVersion;
  if (version !== 'v3' && version !== 'v4') {
    throw new TypeError(
      `Models of the AI SDK's version v3 or v4 can be used, not ${version}. Update the provider's package.`,
    );
  }
  if (options.prices !== undefined) checkPrices(options.prices);
  const name = options.name ?? `${model.provider.split('.')[0] ?? model.provider}:${model.modelId}`;
  const limits = limitsWith(options.limits ?? {});
  const setup = { model, name, options, limits, attachments: createAttachments() };
  return { name, stream: (request, signal) => stream(setup, request, signal) };
}

async function* stream(
  setup: Setup,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk, void, undefined> {
  const deadlines = startDeadlines(setup.limits, signal);
  let last: ModelChunk;
  try {
    last = yield* ask(setup, request, deadlines);
  } catch (error) {
    last = failure(classifyError(error, { model: setup.name, at: Date.now() }));
  } finally {
    deadlines.end();
  }
  yield last.type === 'failure' ? failure(withoutSecrets(last.error, setup.options)) : last;
}

async function* ask(
  setup: Setup,
  request: ModelRequest,
  deadlines: Deadlines,
): AsyncGenerator<ModelChunk, ModelChunk, undefined> {
  const { name, limits, options, attachments } = setup;
  const names = wireNamesFor(request.tools);
  const collector = new PartCollector(names);
  try {
    for await (const part of partsOf(setup, callFor(setup, request, names), deadlines)) {
      const chunk = collector.take(part);
      if (collector.bytes > limits.replyBytesMax) return failure(tooLong(setup));
      if (chunk !== null) yield chunk;
    }
  } catch (error) {
    // Whatever a request throws once it was called off, that is why.
    if (deadlines.stopped === null) throw error;
  }
  const stopped = stoppedError(setup, deadlines);
  if (stopped !== null) return failure(stopped);
  const sent = collector.sent();
  keepAttached(sent, attachments);
  const isNative = (options.protocol ?? 'native') === 'native';
  const context = {
    model: name,
    tools: request.tools,
    isNative,
    prices: options.prices ?? null,
    at: Date.now(),
  };
  return replyOf(sent, context);
}

/** The parts of the reply. It ends early, without a word, when the request is called off, whatever the provider does. */
async function* partsOf(
  { model }: Setup,
  call: LanguageModelV4CallOptions,
  deadlines: Deadlines,
): AsyncGenerator<StreamPart, void, undefined> {
  // The third version is the fourth with fewer kinds of parts; what we send is the same in both.
  const started = (model as LanguageModelV4).doStream({ ...call, abortSignal: deadlines.signal });
  const begun = await deadlines.wait(Promise.race([started, untilAborted(deadlines.signal)]));
  if (begun === null) {
    void Promise.resolve(started)
      .then(({ stream: late }) => late.cancel())
      .catch(ignore);
    return;
  }
  const reader = begun.stream.getReader();
  const cancel = (): void => void reader.cancel().catch(ignore);
  deadlines.signal.addEventListener('abort', cancel, { once: true });
  if (deadlines.signal.aborted) cancel();
  try {
    for (;;) {
      const { done, value } = await deadlines.wait(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    cancel();
  }
}

function ignore(): void {
  // The request has been called off; how it takes that does not matter any more.
}

function untilAborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function callFor(
  { options, attachments }: Setup,
  request: ModelRequest,
  names: WireNames,
): LanguageModelV4CallOptions {
  const { protocol = 'native', maxOutputTokens, temperature, providerOptions } = options;
  const offered = protocol === 'native' ? toolsFor(request.tools, names) : [];
  const former = offered.length === 0 ? formerTools(request, names) : [];
  const wantsJson = protocol === 'json' && request.tools.length > 0;
  return {
    prompt: promptFor(request, { names, attachments }),
    ...(offered.length > 0 && { tools: offered, toolChoice: { type: 'auto' } }),
    ...(former.length > 0 && { tools: former, toolChoice: { type: 'none' } }),
    ...(wantsJson && { responseFormat: { type: 'json' } }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(providerOptions !== undefined && { providerOptions }),
  };
}

function keepAttached({ calls, reasoning }: Sent, attachments: Attachments): void {
  for (const { call, attached } of calls) {
    if (attached !== undefined) attachments.keepCall(call.id ?? '', attached);
  }
  const id = calls[0]?.call.id;
  // Reasoning that nobody signed is of no use to its provider.
  const signed = reasoning.filter(({ attached }) => Object.keys(attached).length > 0);
  if (id !== undefined && signed.length > 0) attachments.keepReasoning(id, signed);
}

function failure(error: ModelError): ModelChunk {
  return { type: 'failure', error };
}

function withoutSecrets(error: ModelError, { secrets = [] }: AiSdkModelOptions): ModelError {
  return { ...error, message: redact(error.message, secrets) };
}

function tooLong({ name, limits: { replyBytesMax } }: Setup): ModelError {
  const message = `${name} wrote more than ${replyBytesMax} bytes and was cut off. Ask for less, or raise replyBytesMax.`;
  return { kind: 'truncated', message, retryable: false };
}

function stoppedError({ name, limits }: Setup, { stopped }: Deadlines): ModelError | null {
  switch (stopped) {
    case null:
      return null;
    case 'called-off':
      return { kind: 'unknown', message: `${name} was called off.`, retryable: false };
    case 'idle': {
      const message = `${name} said nothing for ${seconds(limits.idleMs)}. It will be tried again; raise idleMs if it needs longer.`;
      return { kind: 'timeout', message };
    }
    case 'total': {
      const message = `${name} was not done after ${seconds(limits.totalMs)}. Ask for less at a time, or raise totalMs.`;
      return { kind: 'timeout', message };
    }
    default:
      return stopped satisfies never;
  }
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`;
}
