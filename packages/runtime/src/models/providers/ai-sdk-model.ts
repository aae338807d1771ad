import type {
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { ModelError } from '@pawl/core';
import { classifyModelError } from '../classify-error.ts';
import {
  resolveModelLimits,
  startRequestDeadlines,
  type RequestDeadlines,
  type ModelLimits,
} from '../deadlines.ts';
import type { Model, ModelChunk, ModelRequest, ModelServer } from '../model.ts';
import { validatePrices, type ModelPrices } from '../prices.ts';
import {
  PartCollector,
  createAttachmentCache,
  createWireNames,
  type CollectedReply,
  type StreamPart,
  type AttachmentCache,
  type WireNames,
} from './ai-sdk-parts.ts';
import { listFormerTools, buildPrompt, toProviderTools } from './ai-sdk-prompt.ts';
import { toFinalChunk } from './ai-sdk-reply.ts';
import { redactSecrets } from '../../data-files/secrets.ts';

export type AiSdkModelOptions = {
  /** The model's name in messages; defaults to the provider's name and the model id. */
  readonly name?: string;
  /** The server of the provider, for telemetry. */
  readonly server?: ModelServer;
  /**
   * Reply protocol; `native` by default. With the text protocols no tools are declared to the provider, and with `json`
   * it is asked for JSON: wrap the model with `createProtocolModel`.
   */
  readonly protocol?: 'native' | 'json' | 'xml';
  readonly limits?: Partial<ModelLimits>;
  readonly prices?: ModelPrices;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** Passed to the provider unchanged. */
  readonly providerOptions?: SharedV4ProviderOptions;
  /** Values to redact from messages, such as the API key. */
  readonly secrets?: readonly string[];
};

type AiSdkContext = {
  readonly model: LanguageModelV3 | LanguageModelV4;
  readonly name: string;
  readonly options: AiSdkModelOptions;
  readonly limits: ModelLimits;
  readonly attachments: AttachmentCache;
};

/**
 * Adapts an AI SDK model. Uses the provider's `doStream`, which does not retry, because retries are up to the state
 * machine. Throws if a limit or price is invalid or the model's specification version is unsupported; a request never
 * throws.
 */
export function createAiSdkModel(
  model: LanguageModelV3 | LanguageModelV4,
  options: AiSdkModelOptions = {},
): Model {
  const version: string = model.specificationVersion;
  if (version !== 'v3' && version !== 'v4') {
    throw new TypeError(
      `Unsupported AI SDK model version ${version}; v3 and v4 are supported. Update the provider's package.`,
    );
  }
  if (options.prices !== undefined) validatePrices(options.prices);
  const name = options.name ?? `${model.provider.split('.')[0] ?? model.provider}:${model.modelId}`;
  const limits = resolveModelLimits(options.limits ?? {});
  const context = { model, name, options, limits, attachments: createAttachmentCache() };
  const { server } = options;
  return {
    name,
    ...(server !== undefined && { server }),
    stream: (request, signal) => streamAiSdkReply(context, request, signal),
  };
}

async function* streamAiSdkReply(
  context: AiSdkContext,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk, void, undefined> {
  const deadlines = startRequestDeadlines(context.limits, signal);
  let last: ModelChunk;
  try {
    last = yield* streamProviderReply(context, request, deadlines);
  } catch (error) {
    last = toFailureChunk(classifyModelError(error, { model: context.name, at: Date.now() }));
  } finally {
    deadlines.end();
  }
  yield last.type === 'failure' ? { ...last, error: redactModelError(last.error, context.options) } : last;
}

async function* streamProviderReply(
  context: AiSdkContext,
  request: ModelRequest,
  deadlines: RequestDeadlines,
): AsyncGenerator<ModelChunk, ModelChunk, undefined> {
  const { name, limits, options, attachments } = context;
  const names = createWireNames(request.tools);
  const collector = new PartCollector(names);
  try {
    for await (const part of streamReplyParts(
      context,
      buildCallOptions(context, request, names),
      deadlines,
    )) {
      const chunk = collector.addPart(part);
      if (collector.bytes > limits.replyBytesMax) return toFailureChunk(createReplyTooLongError(context));
      if (chunk !== null) yield chunk;
    }
  } catch (error) {
    // If the request was stopped, report that instead of the resulting error.
    if (deadlines.stopped === null) throw error;
  }
  const stopError = toStopError(context, deadlines);
  if (stopError !== null) return toFailureChunk(stopError);
  const reply = collector.getReply();
  saveAttachments(reply, attachments);
  const isNative = (options.protocol ?? 'native') === 'native';
  const replyContext = {
    model: name,
    tools: request.tools,
    isNative,
    prices: options.prices ?? null,
    at: Date.now(),
  };
  return toFinalChunk(reply, replyContext);
}

/**
 * Streams the parts of the reply. Ends early without an error when the request is stopped, even if the provider ignores
 * the abort signal.
 */
async function* streamReplyParts(
  { model }: AiSdkContext,
  call: LanguageModelV4CallOptions,
  deadlines: RequestDeadlines,
): AsyncGenerator<StreamPart, void, undefined> {
  // Safe cast: v3 is v4 with fewer kinds of parts, and the call options used here are the same in both.
  const started = (model as LanguageModelV4).doStream({ ...call, abortSignal: deadlines.signal });
  const result = await deadlines.wait(Promise.race([started, resolveOnAbort(deadlines.signal)]));
  if (result === null) {
    void Promise.resolve(started)
      .then(({ stream }) => stream.cancel())
      .catch(ignoreRejection);
    return;
  }
  const reader = result.stream.getReader();
  const cancel = (): void => void reader.cancel().catch(ignoreRejection);
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

function ignoreRejection(): void {
  // The request was stopped, so its rejection no longer matters.
}

function resolveOnAbort(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function buildCallOptions(
  { options, attachments }: AiSdkContext,
  request: ModelRequest,
  names: WireNames,
): LanguageModelV4CallOptions {
  const { protocol = 'native', maxOutputTokens, temperature, providerOptions } = options;
  const offered = protocol === 'native' ? toProviderTools(request.tools, names) : [];
  const formerTools = offered.length === 0 ? listFormerTools(request, names) : [];
  const wantsJson = protocol === 'json' && request.tools.length > 0;
  return {
    prompt: buildPrompt(request, { names, attachments }),
    ...(offered.length > 0 && { tools: offered, toolChoice: { type: 'auto' } }),
    ...(formerTools.length > 0 && { tools: formerTools, toolChoice: { type: 'none' } }),
    ...(wantsJson && { responseFormat: { type: 'json' } }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(providerOptions !== undefined && { providerOptions }),
  };
}

function saveAttachments({ calls, reasoning }: CollectedReply, attachments: AttachmentCache): void {
  for (const { call, attachment } of calls) {
    if (attachment !== undefined) attachments.setCall(call.id ?? '', attachment);
  }
  const id = calls[0]?.call.id;
  // Unsigned reasoning is of no use to the provider.
  const signed = reasoning.filter(({ attachment }) => Object.keys(attachment).length > 0);
  if (id !== undefined && signed.length > 0) attachments.setReasoning(id, signed);
}

function toFailureChunk(error: ModelError): ModelChunk {
  return { type: 'failure', error };
}

function redactModelError(error: ModelError, { secrets = [] }: AiSdkModelOptions): ModelError {
  return { ...error, message: redactSecrets(error.message, secrets) };
}

function createReplyTooLongError({ name, limits: { replyBytesMax } }: AiSdkContext): ModelError {
  const message = `${name} sent more than ${replyBytesMax} bytes and was cut off. Request less, or raise replyBytesMax.`;
  return { kind: 'truncated', message, retryable: false };
}

function toStopError({ name, limits }: AiSdkContext, { stopped }: RequestDeadlines): ModelError | null {
  switch (stopped) {
    case null:
      return null;
    case 'cancelled':
      return { kind: 'unknown', message: `${name} was cancelled.`, retryable: false };
    case 'idle': {
      const message = `${name} sent nothing for ${formatTimeout(limits.idleMs)}. Raise idleMs if the model needs longer.`;
      return { kind: 'timeout', message };
    }
    case 'total': {
      const message = `${name} did not finish within ${formatTimeout(limits.totalMs)}. Request less at a time, or raise totalMs.`;
      return { kind: 'timeout', message };
    }
    default:
      return stopped satisfies never;
  }
}

function formatTimeout(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`;
}
