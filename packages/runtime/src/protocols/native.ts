import type { ToolOutcome, RequestedCall, ToolMessage } from '@pawl/core';
import { parseToolCall } from './arguments.ts';
import {
  emptyReplyPayload,
  finalizeDecision,
  type ProtocolCodec,
  type ProtocolContext,
  type ModelDecision,
  type ReplyProblem,
  type ModelReply,
} from './decision.ts';
import { createJsonReader } from './json-reader.ts';
import { buildSampleArguments } from './parameters.ts';
import { splitReasoning } from './reasoning.ts';

/**
 * Tool calls come separately from the text, from a provider with native tool calling. Text without a call is the
 * answer.
 */
export const nativeCodec: ProtocolCodec = {
  name: 'native',
  instructions({ tools }) {
    const answer = 'When the work is done, or cannot be done, reply with the answer as plain text.';
    return tools.length === 0 ? answer : `Use the tools you are given, through tool calls. ${answer}`;
  },
  example({ tools: [tool] }) {
    if (tool === undefined) return 'The answer, as plain text.';
    return `A call of ${tool.name} with the arguments ${JSON.stringify(buildSampleArguments(tool))}`;
  },
  decode: decodeNative,
  encode: ({ text, calls, answer }) => ({ text: answer ?? text, calls }),
  observe: (results) => results.map(formatToolMessage).join('\n\n'),
};

function decodeNative(reply: ModelReply, { callsMax }: ProtocolContext): ModelDecision {
  const reader = createJsonReader();
  const { think, rest } = splitReasoning(reply.text);
  const text = rest.trim();
  const calls: RequestedCall[] = [];
  const problems: ReplyProblem[] = [];
  for (const [index, requestedCall] of reply.calls.entries()) {
    const { call, problem } = parseToolCall(
      requestedCall,
      `call ${index + 1} of ${reply.calls.length}`,
      reader,
    );
    if (problem !== undefined) problems.push(problem);
    else calls.push({ ...requestedCall, ...call });
  }
  const answer = reply.calls.length === 0 && text !== '' ? text : null;
  const payload = { ...emptyReplyPayload, text, calls, answer, logs: { ...emptyReplyPayload.logs, think } };
  return finalizeDecision({ payload, problems, isProtocolReply: reply.calls.length > 0, callsMax });
}

function formatToolMessage({ outcome }: ToolMessage): string {
  return formatToolOutcome(outcome);
}

/** Formats a tool outcome as text: its output, or `Error: ` and the message. */
export function formatToolOutcome(outcome: ToolOutcome): string {
  if (!outcome.ok) return `Error: ${outcome.error.message}`;
  return typeof outcome.output === 'string' ? outcome.output : JSON.stringify(outcome.output);
}
