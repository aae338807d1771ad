import { toItemArray, type Json, type ConversationMessage } from '@pawl/core';
import { maskSecrets } from '@pawl/runtime/logging';
import type { EndedOperation, StepObservation } from './step-observation.ts';
import { otelAttributes } from './semconv.ts';

type TextAttributes = Readonly<Record<string, string>>;

/** Maximum length of one text, and maximum number of conversation messages sent. */
const contentTextMax = 4_000;
const contentMessagesMax = 50;

/** Builds the content attributes in the form of the semantic conventions, with secrets masked. */
export function buildContentAttributes(
  { operation, result }: EndedOperation,
  { stepResult }: StepObservation,
  secrets: readonly string[],
): TextAttributes {
  const { event } = stepResult;
  const text = (value: unknown): string =>
    JSON.stringify(maskSecrets(value, { secrets, textMax: contentTextMax }));
  if (operation.kind === 'model') {
    const input = toItemArray(operation.conversation).slice(-contentMessagesMax).map(toContentMessage);
    const output = event.type === 'model-replied' ? [toReplyMessage(event)] : [];
    return {
      [otelAttributes.inputMessages]: text(input),
      ...(output.length > 0 && { [otelAttributes.outputMessages]: text(output) }),
      ...(event.type === 'model-failed' && { [otelAttributes.exceptionMessage]: text(event.error.message) }),
    };
  }
  if (operation.kind !== 'tool') return {};
  const hasResult = event.type === 'tool-finished' && result.kind !== 'cancelled';
  return {
    [otelAttributes.toolArguments]: text(operation.call.args),
    ...(hasResult && {
      [otelAttributes.toolResult]: text(event.outcome.ok ? event.outcome.output : event.outcome.error),
    }),
  };
}

type ContentPart = { readonly type: string; readonly [key: string]: Json };

function toContentMessage(message: ConversationMessage): {
  readonly role: string;
  readonly parts: readonly ContentPart[];
} {
  const { role } = message;
  if (role === 'user') return { role, parts: [createTextPart(message.text)] };
  if (role === 'assistant')
    return { role, parts: [createTextPart(message.text), ...message.calls.map(createToolCallPart)] };
  const { callId: id, outcome } = message;
  const response = outcome.ok ? outcome.output : { ...outcome.error };
  return { role, parts: [{ type: 'tool_call_response', id, response }] };
}

type ModelReplyEvent = Extract<StepObservation['stepResult']['event'], { readonly type: 'model-replied' }>;

function toReplyMessage({ text, calls }: ModelReplyEvent): object {
  return {
    role: 'assistant',
    parts: [createTextPart(text), ...calls.map(createToolCallPart)],
    finish_reason: getOtelFinishReason(calls.length),
  };
}

export function getOtelFinishReason(calls: number): string {
  return calls > 0 ? 'tool_call' : 'stop';
}

function createTextPart(content: string): ContentPart {
  return { type: 'text', content };
}

function createToolCallPart({
  id,
  tool,
  args,
}: {
  readonly id?: string;
  readonly tool: string;
  readonly args: Json;
}): ContentPart {
  return { type: 'tool_call', ...(id !== undefined && { id }), name: tool, arguments: args };
}
