import type { ModelError, RequestedCall } from '@pawl/core';
import { explainProblems } from '../../protocols/decision.ts';
import { nativeCodec } from '../../protocols/native.ts';
import { splitReasoning } from '../../protocols/reasoning.ts';
import { toPrintableLine } from '../../text/one-line.ts';
import type { ToolDescription } from '../../tools/tool.ts';
import { classifyModelError } from '../classify-error.ts';
import type { ModelChunk } from '../model.ts';
import { computeUsage, type ModelPrices } from '../prices.ts';
import type { CollectedReply } from './ai-sdk-parts.ts';

export type ReplyContext = {
  readonly model: string;
  /** The offered tools; empty if a text answer was requested. */
  readonly tools: readonly ToolDescription[];
  /** Whether the provider returns calls separately from the text; otherwise a text protocol parses the text later. */
  readonly isNative: boolean;
  readonly prices: ModelPrices | null;
  /** When the reply was complete. */
  readonly at: number;
};

type FinalChunk = Extract<ModelChunk, { readonly type: 'reply' | 'failure' }>;

/** Converts a collected reply into the final chunk. An incomplete reply is a failure; none of its calls run. */
export function toFinalChunk(reply: CollectedReply, context: ReplyContext): FinalChunk {
  const { response } = reply;
  const error = findReplyError(reply, context);
  if (error !== null) return { type: 'failure', error, response };
  const usage = computeReplyUsage(reply, context.prices);
  const used = { ...(usage !== null && { usage }), response };
  const text = splitReasoning(reply.text).rest.trimStart();
  const requestedCalls = reply.calls.map(({ call }) => call);
  if (!context.isNative) return { type: 'reply', text, calls: requestedCalls, ...used };
  if (context.tools.length === 0 && text.trim() === '') {
    const message = `${context.model} sent an empty reply.`;
    return { type: 'failure', error: { kind: 'unknown', message }, response };
  }
  const protocolContext = { tools: context.tools, states: [], logs: [], callsMax: Infinity };
  const { calls, problems } = nativeCodec.decode({ text, calls: requestedCalls }, protocolContext);
  if (problems.length === 0) return { type: 'reply', text, calls, ...used };
  const problem = explainProblems(problems, nativeCodec, protocolContext);
  return { type: 'reply', text, calls: [], problem, ...used };
}

function computeReplyUsage(
  { finish }: CollectedReply,
  prices: ModelPrices | null,
): ReturnType<typeof computeUsage> {
  if (finish === null) return null;
  const { inputTokens, outputTokens } = finish.usage;
  const counts = { input: inputTokens.total, cachedInput: inputTokens.cacheRead, output: outputTokens.total };
  return computeUsage(counts, prices);
}

function findReplyError(reply: CollectedReply, { model, at }: ReplyContext): ModelError | null {
  if (reply.error !== null) return classifyModelError(reply.error.thrown, { model, at });
  if (reply.finish === null) return createTruncatedError(model);
  const { unified, raw } = reply.finish.reason;
  switch (unified) {
    case 'stop':
    case 'tool-calls':
      return null;
    case 'other':
      // Older providers report "other" when the stream ends without a finish reason.
      return raw === undefined ? createTruncatedError(model) : null;
    case 'interrupted':
      return createTruncatedError(model);
    case 'length':
      return raw === 'model_context_window_exceeded'
        ? createOverflowError(model)
        : findLengthError(reply, model);
    case 'content-filter':
      return createRefusalError(model);
    case 'error':
      return createProviderError(model, raw);
    default:
      return unified satisfies never;
  }
}

function createTruncatedError(model: string): ModelError {
  return {
    kind: 'truncated',
    message: `${model} stopped before its reply was complete. If this persists, use another model.`,
  };
}

function createProviderError(model: string, raw = 'without a reason'): ModelError {
  const reason = toPrintableLine(raw, 100);
  return {
    kind: 'unknown',
    message: `${model} ended its reply with an error (${reason}). If this persists, use another model.`,
  };
}

function createRefusalError(model: string): ModelError {
  const advice = 'Rephrase the request, or use another model.';
  return { kind: 'refused', message: `${model} refused to answer. ${advice}`, retryable: false };
}

function createOverflowError(model: string): ModelError {
  const advice = 'Shorten the conversation, or use a model with a larger context window.';
  return {
    kind: 'context-overflow',
    message: `${model} reached its context limit while replying. ${advice}`,
    retryable: false,
  };
}

/** A reply cut off at the length limit is usable only if it has calls and all of them are complete. */
function findLengthError({ calls }: CollectedReply, model: string): ModelError | null {
  if (calls.length > 0 && calls.every(({ call }) => isCompleteCall(call))) return null;
  const advice = 'Request less at a time, or raise maxOutputTokens.';
  return {
    kind: 'truncated',
    message: `${model} reached the maximum length of a reply. ${advice}`,
    retryable: false,
  };
}

/** Empty arguments may mean that none had arrived yet. */
function isCompleteCall({ args }: RequestedCall): boolean {
  if (typeof args !== 'string' || /^\s*(?:\{\s*\})?\s*$/.test(args)) return false;
  try {
    JSON.parse(args);
    return true;
  } catch {
    return false;
  }
}
