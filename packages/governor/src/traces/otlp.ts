import type { Json } from '../json.ts';
import { buildRecordedRun } from './build-run.ts';
import type { TraceEntry } from './trace-entry.ts';
import { toOptionalId, toOptionalList, toOptionalString, parseNestedJson } from '../json-fields.ts';
import { listSpanCallIds, readNewInputs, readSpanReply } from './otlp-messages.ts';
import { hasSpans, readSpans, type OtlpSpan } from './otlp-spans.ts';
import { mergeTraces, type TraceFormat } from './trace-format.ts';

/**
 * OpenTelemetry spans with GenAI attributes. A run is a conversation, otherwise a trace. Calls come from the model's
 * replies, and results from tool spans or from the model's next input; if no content was recorded, tool spans are the
 * calls.
 */
export const otlpFormat: TraceFormat = {
  name: 'otlp',
  sign: 'resourceSpans with gen_ai attributes (OTLP)',
  matches: (document) => hasSpans(document) || (toOptionalList(document) ?? []).some(hasSpans),
  parse(document, name) {
    const runs = [...groupConversations(document, name)];
    if (runs.length === 0)
      return { runs: [], problems: [{ location: '', problem: 'no span with gen_ai attributes' }] };
    return mergeTraces(
      runs.map(([id, spans]) => {
        const model = findFirstAttribute(spans, 'gen_ai.request.model');
        const facts = { id, source: 'otlp', ...(model === undefined ? {} : { model }) };
        return buildRecordedRun(facts, readOtlpEntries(spans));
      }),
    );
  },
};

function groupConversations(document: Json, name: string): ReadonlyMap<string, OtlpSpan[]> {
  const spans = [...readSpans(document)].filter(
    (span) => isChatSpan(span) || isToolSpan(span) || isAgentSpan(span),
  );
  const conversations = new Map<string, string>();
  for (const { trace, attributes } of spans) {
    const id = toOptionalId(attributes.get('gen_ai.conversation.id'));
    if (id !== undefined) conversations.set(trace, id);
  }
  const runs = new Map<string, OtlpSpan[]>();
  for (const span of spans) {
    const own = toOptionalId(span.attributes.get('gen_ai.conversation.id'));
    const id = own ?? conversations.get(span.trace) ?? (span.trace === '' ? name : span.trace);
    const run = runs.get(id);
    if (run === undefined) runs.set(id, [span]);
    else run.push(span);
  }
  return runs;
}

function getSpanOperation({ attributes }: OtlpSpan): string {
  return toOptionalString(attributes.get('gen_ai.operation.name')) ?? '';
}

function isChatSpan(span: OtlpSpan): boolean {
  return /^(?:chat|text_completion|generate_content|completion)$/.test(getSpanOperation(span));
}

function isToolSpan(span: OtlpSpan): boolean {
  return (
    getSpanOperation(span) === 'execute_tool' ||
    (getSpanOperation(span) === '' && span.attributes.has('gen_ai.tool.name'))
  );
}

function isAgentSpan(span: OtlpSpan): boolean {
  return getSpanOperation(span) === 'invoke_agent' && span.attributes.has('gen_ai.output.messages');
}

function* readOtlpEntries(spans: readonly OtlpSpan[]): Generator<TraceEntry> {
  const inOrder = spans.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
  // An agent span repeats the content of the spans inside it.
  const hasChats = inOrder.some(isChatSpan);
  const replies = inOrder.filter((span) => (hasChats ? isChatSpan(span) : isAgentSpan(span)));
  const calls = new Set(replies.flatMap(listSpanCallIds));
  const told = new Map<string, number>();
  for (const span of inOrder) {
    if (isToolSpan(span)) yield* readToolSpan(span, calls);
    else if (hasChats === isChatSpan(span)) {
      yield* readNewInputs(span, told);
      yield* readSpanReply(span);
    }
  }
}

function* readToolSpan(
  { attributes, at, failed, location }: OtlpSpan,
  calls: ReadonlySet<string>,
): Generator<TraceEntry> {
  const id = toOptionalId(attributes.get('gen_ai.tool.call.id'));
  const tool = toOptionalString(attributes.get('gen_ai.tool.name')) ?? 'unknown';
  const result = parseNestedJson(attributes.get('gen_ai.tool.call.result'));
  if (id === undefined || !calls.has(id)) {
    const args = parseNestedJson(attributes.get('gen_ai.tool.call.arguments'));
    yield {
      type: 'reply',
      at,
      parts: [{ type: 'call', id, tool, args, outcome: { result, error: failed } }],
    };
    return;
  }
  if (result !== undefined)
    yield { type: 'result', id, tool, result, error: failed, location, repeated: true };
  yield { type: 'failure', id, failed };
}

function findFirstAttribute(spans: readonly OtlpSpan[], name: string): string | undefined {
  for (const { attributes } of spans) {
    const value = toOptionalString(attributes.get(name));
    if (value !== undefined) return value;
  }
  return undefined;
}
