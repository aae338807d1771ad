import type { Json } from '../json.ts';
import { getContentText, getResultContent } from './content.ts';
import type { TraceEntry, TracePart, TraceResult } from './trace-entry.ts';
import {
  toOptionalCount,
  getJsonPath,
  toOptionalId,
  toOptionalList,
  toOptionalString,
  parseNestedJson,
} from '../json-fields.ts';
import { readChatCallParts, readChatTextParts } from './openai-chat.ts';
import type { OtlpSpan } from './otlp-spans.ts';

/** Returns the ids of the calls the model made in a span. */
export function listSpanCallIds(span: OtlpSpan): readonly string[] {
  return readSpanReplyParts(span).flatMap((part) => (part.type === 'call' ? (part.id ?? []) : []));
}

/**
 * Reads the inputs of a span that are new. Each request repeats the whole conversation, so a user message, or a result
 * without an id, is new only if it occurs more often than before.
 */
export function* readNewInputs(span: OtlpSpan, told: Map<string, number>): Generator<TraceEntry> {
  const now = new Map<string, number>();
  const isNew = (key: string): boolean => {
    const times = (now.get(key) ?? 0) + 1;
    now.set(key, times);
    return times > (told.get(key) ?? 0);
  };
  for (const message of getSpanMessages(span, 'gen_ai.input.messages')) {
    for (const result of readMessageResults(message, span.location)) {
      if (result.id !== undefined || isNew('result')) yield result;
    }
    const text = getJsonPath(message, 'role') === 'user' ? getSpanMessageText(message) : '';
    if (text !== '' && isNew(`user ${text}`)) yield { type: 'user', text, at: span.at };
  }
  for (const [key, times] of now) told.set(key, Math.max(times, told.get(key) ?? 0));
}

/** Reads the model's reply: the first of several choices, or only its usage if no content was recorded. */
export function* readSpanReply(span: OtlpSpan): Generator<TraceEntry> {
  const { attributes, at } = span;
  const output = toOptionalCount(attributes.get('gen_ai.usage.output_tokens'));
  const input = toOptionalCount(attributes.get('gen_ai.usage.input_tokens'));
  const usage = output === undefined && input === undefined ? undefined : { output, input };
  if (attributes.has('gen_ai.output.messages'))
    yield { type: 'reply', parts: readSpanReplyParts(span), at, usage };
  else if (!span.failed) {
    const reasons = toOptionalList(attributes.get('gen_ai.response.finish_reasons')) ?? [];
    const hasCalled = reasons.some((reason) => typeof reason === 'string' && reason.includes('tool'));
    yield { type: 'reply', parts: hasCalled ? [{ type: 'thought', text: '' }] : [], at, usage };
  }
}

/** Results are parts of a message; some instrumentations write them as separate messages, as OpenAI does. */
function* readMessageResults(message: Json, location: string): Generator<TraceResult> {
  const isResult = getJsonPath(message, 'role') === 'tool' && getJsonPath(message, 'parts') === undefined;
  for (const part of isResult ? [message] : (toOptionalList(getJsonPath(message, 'parts')) ?? [])) {
    if (!isResult && getJsonPath(part, 'type') !== 'tool_call_response') continue;
    const id = toOptionalId(getJsonPath(part, 'id')) ?? toOptionalId(getJsonPath(part, 'tool_call_id'));
    const result = getResultContent(
      getJsonPath(part, 'response') ?? getJsonPath(part, 'result') ?? getJsonPath(part, 'content'),
    );
    yield { type: 'result', id, result, error: undefined, location, repeated: true };
  }
}

function getSpanMessages({ attributes }: OtlpSpan, name: string): readonly Json[] {
  return toOptionalList(parseNestedJson(attributes.get(name))) ?? [];
}

function readSpanReplyParts(span: OtlpSpan): readonly TracePart[] {
  const message = getSpanMessages(span, 'gen_ai.output.messages')[0] ?? null;
  const parts = toOptionalList(getJsonPath(message, 'parts'));
  if (parts === undefined) return [...readChatTextParts(message), ...readChatCallParts(message)];
  return parts.flatMap((part): readonly TracePart[] => {
    const type = getJsonPath(part, 'type');
    if (type === 'reasoning') return [{ type: 'thought', text: getContentText(part) }];
    if (type === 'text') return [{ type: 'text', text: getContentText(part) }];
    const tool = toOptionalString(getJsonPath(part, 'name'));
    if (type !== 'tool_call' || tool === undefined) return [];
    return [
      {
        type: 'call',
        id: toOptionalId(getJsonPath(part, 'id')),
        tool,
        args: parseNestedJson(getJsonPath(part, 'arguments')),
      },
    ];
  });
}

function getSpanMessageText(message: Json): string {
  const parts = toOptionalList(getJsonPath(message, 'parts'));
  if (parts === undefined) return getContentText(getJsonPath(message, 'content'));
  return getContentText(parts.filter((part) => getJsonPath(part, 'type') === 'text'));
}
