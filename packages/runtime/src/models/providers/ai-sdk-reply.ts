import type { ModelError, RequestedCall } from '@pawl/core';
import { explainProblems } from '../../protocols/explain.ts';
import { nativeCodec } from '../../protocols/native.ts';
import { withoutReasoning } from '../../protocols/reasoning.ts';
import { oneLine } from '../../schema/one-line.ts';
import type { ToolDescription } from '../../tools/tool.ts';
import { classifyError } from '../classify-error.ts';
import type { ModelChunk } from '../model.ts';
import { usageOf, type Prices } from '../prices.ts';
import type { Sent } from './ai-sdk-parts.ts';

export type ReplyContext = {
  readonly model: string;
  /** What was on offer; empty when an answer was asked for. */
  readonly tools: readonly ToolDescription[];
  /** Whether calls come apart from the text; else the text is read by others, and may be anything. */
  readonly isNative: boolean;
  readonly prices: Prices | null;
  /** When the reply was complete. */
  readonly at: number;
};

type Ended = Extract<ModelChunk, { readonly type: 'reply' | 'failure' }>;

/** What a reply comes to. Half a reply is none: nothing of it is carried out. */
export function replyOf(sent: Sent, context: ReplyContext): Ended {
  const error = failureOf(sent, context);
  if (error !== null) return { type: 'failure', error };
  const usage = countsOf(sent, context.prices);
  const used = usage === null ? {} : { usage };
  const text = withoutReasoning(sent.text).rest.trimStart();
  const asked = sent.calls.map(({ call }) => call);
  if (!context.isNative) return { type: 'reply', text, calls: asked, ...used };
  if (context.tools.length === 0 && text.trim() === '') {
    return { type: 'failure', error: { kind: 'unknown', message: `${context.model} sent an empty reply.` } };
  }
  const reading = { tools: context.tools, states: [], logs: [], callsMax: Infinity };
  const { calls, problems } = nativeCodec.decode({ text, calls: asked }, reading);
  if (problems.length === 0) return { type: 'reply', text, calls, ...used };
  const problem = explainProblems(problems, nativeCodec, reading);
  return { type: 'reply', text, calls: [], problem, ...used };
}

function countsOf({ finish }: Sent, prices: Prices | null): ReturnType<typeof usageOf> {
  if (finish === null) return null;
  const { inputTokens, outputTokens } = finish.usage;
  const counts = { input: inputTokens.total, cachedInput: inputTokens.cacheRead, output: outputTokens.total };
  return usageOf(counts, prices);
}

function failureOf(sent: Sent, { model, at }: ReplyContext): ModelError | null {
  if (sent.error !== null) return classifyError(sent.error.thrown, { model, at });
  if (sent.finish === null) return broken(model);
  const { unified, raw } = sent.finish.reason;
  switch (unified) {
    case 'stop':
    case 'tool-calls':
      return null;
    case 'other':
      // Older providers call it so when the stream ends without a word on why.
      return raw === undefined ? broken(model) : null;
    case 'interrupted':
      return broken(model);
    case 'length':
      return raw === 'model_context_window_exceeded' ? windowFull(model) : cutOff(sent, model);
    case 'content-filter':
      return refused(model);
    case 'error':
      return failedInside(model, raw);
    default:
      return unified satisfies never;
  }
}

function broken(model: string): ModelError {
  return {
    kind: 'truncated',
    message: `${model} stopped before its reply was complete. It will be tried again.`,
  };
}

function failedInside(model: string, raw = 'without a reason'): ModelError {
  const why = oneLine(raw, 100);
  return {
    kind: 'unknown',
    message: `${model} ended its reply with an error (${why}). It will be tried again.`,
  };
}

function refused(model: string): ModelError {
  const todo = 'Put it another way, or use another model.';
  return { kind: 'refused', message: `${model} refuses to answer this. ${todo}`, retryable: false };
}

function windowFull(model: string): ModelError {
  const todo = 'Make the conversation shorter, or use a model with a larger window.';
  return {
    kind: 'context-overflow',
    message: `${model} ran out of room while it answered. ${todo}`,
    retryable: false,
  };
}

/** A reply that was cut off at its longest is good for the calls that were complete by then, if all are. */
function cutOff({ calls }: Sent, model: string): ModelError | null {
  if (calls.length > 0 && calls.every(({ call }) => isComplete(call))) return null;
  const todo = 'Ask for less at a time, or raise maxOutputTokens.';
  return {
    kind: 'truncated',
    message: `${model} reached the end of what one reply may hold. ${todo}`,
    retryable: false,
  };
}

/** No arguments at all may mean that none had come yet. */
function isComplete({ args }: RequestedCall): boolean {
  if (typeof args !== 'string' || /^\s*(?:\{\s*\})?\s*$/.test(args)) return false;
  try {
    JSON.parse(args);
    return true;
  } catch {
    return false;
  }
}
