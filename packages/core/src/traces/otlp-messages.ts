import type { Json } from '../json.ts';
import { contentText, resultOf } from './content.ts';
import type { Entry, Part, Result } from './entry.ts';
import { countOf, get, idOf, listOf, stringOf, unpacked } from '../json-fields.ts';
import { callParts, saidParts } from './openai-chat.ts';
import type { Span } from './otlp-spans.ts';

/** The ids of the calls that the model made in a span. */
export function callsIn(span: Span): readonly string[] {
  return partsSaid(span).flatMap((part) => (part.type === 'call' ? (part.id ?? []) : []));
}

/**
 * What the model was told in a span and had not been told before. Each request repeats the whole conversation, so a
 * user's words, or a result without an id, are new only where they occur more often than so far.
 */
export function* heard(span: Span, told: Map<string, number>): Generator<Entry> {
  const now = new Map<string, number>();
  const isNew = (key: string): boolean => {
    const times = (now.get(key) ?? 0) + 1;
    now.set(key, times);
    return times > (told.get(key) ?? 0);
  };
  for (const message of messagesIn(span, 'gen_ai.input.messages')) {
    for (const result of resultsIn(message, span.where)) {
      if (result.id !== undefined || isNew('result')) yield result;
    }
    const text = get(message, 'role') === 'user' ? textOf(message) : '';
    if (text !== '' && isNew(`user ${text}`)) yield { type: 'user', text, at: span.at };
  }
  for (const [key, times] of now) told.set(key, Math.max(times, told.get(key) ?? 0));
}

/** The model's reply. Of several to choose from, the first; and where no content was recorded, at least its cost. */
export function* said(span: Span): Generator<Entry> {
  const { attributes, at } = span;
  const output = countOf(attributes.get('gen_ai.usage.output_tokens'));
  const input = countOf(attributes.get('gen_ai.usage.input_tokens'));
  const usage = output === undefined && input === undefined ? undefined : { output, input };
  if (attributes.has('gen_ai.output.messages')) yield { type: 'reply', parts: partsSaid(span), at, usage };
  else if (!span.failed) {
    const reasons = listOf(attributes.get('gen_ai.response.finish_reasons')) ?? [];
    const hasCalled = reasons.some((reason) => typeof reason === 'string' && reason.includes('tool'));
    yield { type: 'reply', parts: hasCalled ? [{ type: 'thought', text: '' }] : [], at, usage };
  }
}

/** Results are parts of a message; some write them as messages of their own, the way of OpenAI. */
function* resultsIn(message: Json, where: string): Generator<Result> {
  const isResult = get(message, 'role') === 'tool' && get(message, 'parts') === undefined;
  for (const part of isResult ? [message] : (listOf(get(message, 'parts')) ?? [])) {
    if (!isResult && get(part, 'type') !== 'tool_call_response') continue;
    const id = idOf(get(part, 'id')) ?? idOf(get(part, 'tool_call_id'));
    const result = resultOf(get(part, 'response') ?? get(part, 'result') ?? get(part, 'content'));
    yield { type: 'result', id, result, error: undefined, where, repeated: true };
  }
}

function messagesIn({ attributes }: Span, name: string): readonly Json[] {
  return listOf(unpacked(attributes.get(name))) ?? [];
}

function partsSaid(span: Span): readonly Part[] {
  const message = messagesIn(span, 'gen_ai.output.messages')[0] ?? null;
  const parts = listOf(get(message, 'parts'));
  if (parts === undefined) return [...saidParts(message), ...callParts(message)];
  return parts.flatMap((part): readonly Part[] => {
    const type = get(part, 'type');
    if (type === 'reasoning') return [{ type: 'thought', text: contentText(part) }];
    if (type === 'text') return [{ type: 'text', text: contentText(part) }];
    const tool = stringOf(get(part, 'name'));
    if (type !== 'tool_call' || tool === undefined) return [];
    return [{ type: 'call', id: idOf(get(part, 'id')), tool, args: unpacked(get(part, 'arguments')) }];
  });
}

function textOf(message: Json): string {
  const parts = listOf(get(message, 'parts'));
  if (parts === undefined) return contentText(get(message, 'content'));
  return contentText(parts.filter((part) => get(part, 'type') === 'text'));
}
