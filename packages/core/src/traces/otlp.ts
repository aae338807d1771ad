import type { Json } from '../json.ts';
import { buildRun } from './build-run.ts';
import type { Entry } from './entry.ts';
import { idOf, listOf, stringOf, unpacked } from '../json-fields.ts';
import { callsIn, heard, said } from './otlp-messages.ts';
import { hasSpans, spansIn, type Span } from './otlp-spans.ts';
import { merged, type TraceFormat } from './trace-format.ts';

/**
 * Spans of OpenTelemetry with the attributes of its GenAI conventions. A run is a conversation, or else a trace. Calls
 * come from the model's replies, their results from the spans of the tools or from what the model was told next; where
 * no content was recorded, the spans of the tools are the calls.
 */
export const otlp: TraceFormat = {
  name: 'otlp',
  sign: 'resourceSpans with gen_ai attributes (OTLP)',
  recognise: (document) => hasSpans(document) || (listOf(document) ?? []).some(hasSpans),
  parse(document, name) {
    const runs = [...conversationsIn(document, name)];
    if (runs.length === 0)
      return { runs: [], problems: [{ where: '', problem: 'no span with gen_ai attributes' }] };
    return merged(
      runs.map(([id, spans]) => {
        const model = first(spans, 'gen_ai.request.model');
        const facts = { id, source: 'otlp', ...(model === undefined ? {} : { model }) };
        return buildRun(facts, entries(spans));
      }),
    );
  },
};

function conversationsIn(document: Json, name: string): ReadonlyMap<string, Span[]> {
  const spans = [...spansIn(document)].filter((span) => isChat(span) || isTool(span) || isAgent(span));
  const conversations = new Map<string, string>();
  for (const { trace, attributes } of spans) {
    const id = idOf(attributes.get('gen_ai.conversation.id'));
    if (id !== undefined) conversations.set(trace, id);
  }
  const runs = new Map<string, Span[]>();
  for (const span of spans) {
    const own = idOf(span.attributes.get('gen_ai.conversation.id'));
    const id = own ?? conversations.get(span.trace) ?? (span.trace === '' ? name : span.trace);
    const run = runs.get(id);
    if (run === undefined) runs.set(id, [span]);
    else run.push(span);
  }
  return runs;
}

function operationOf({ attributes }: Span): string {
  return stringOf(attributes.get('gen_ai.operation.name')) ?? '';
}

function isChat(span: Span): boolean {
  return /^(?:chat|text_completion|generate_content|completion)$/.test(operationOf(span));
}

function isTool(span: Span): boolean {
  return (
    operationOf(span) === 'execute_tool' ||
    (operationOf(span) === '' && span.attributes.has('gen_ai.tool.name'))
  );
}

function isAgent(span: Span): boolean {
  return operationOf(span) === 'invoke_agent' && span.attributes.has('gen_ai.output.messages');
}

function* entries(spans: readonly Span[]): Generator<Entry> {
  const inOrder = spans.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
  // The span of an agent repeats what the spans inside of it say.
  const hasChats = inOrder.some(isChat);
  const replies = inOrder.filter((span) => (hasChats ? isChat(span) : isAgent(span)));
  const calls = new Set(replies.flatMap(callsIn));
  const told = new Map<string, number>();
  for (const span of inOrder) {
    if (isTool(span)) yield* toolEntries(span, calls);
    else if (hasChats === isChat(span)) {
      yield* heard(span, told);
      yield* said(span);
    }
  }
}

function* toolEntries({ attributes, at, failed, where }: Span, calls: ReadonlySet<string>): Generator<Entry> {
  const id = idOf(attributes.get('gen_ai.tool.call.id'));
  const tool = stringOf(attributes.get('gen_ai.tool.name')) ?? 'unknown';
  const result = unpacked(attributes.get('gen_ai.tool.call.result'));
  if (id === undefined || !calls.has(id)) {
    const args = unpacked(attributes.get('gen_ai.tool.call.arguments'));
    yield {
      type: 'reply',
      at,
      parts: [{ type: 'call', id, tool, args, outcome: { result, error: failed } }],
    };
    return;
  }
  if (result !== undefined) yield { type: 'result', id, tool, result, error: failed, where, repeated: true };
  yield { type: 'failure', id, failed };
}

function first(spans: readonly Span[], name: string): string | undefined {
  for (const { attributes } of spans) {
    const value = stringOf(attributes.get(name));
    if (value !== undefined) return value;
  }
  return undefined;
}
