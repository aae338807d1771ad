import {
  toOptionalId,
  toOptionalList,
  toOptionalString,
  parseNestedJson,
  toOptionalCount,
  getJsonPath,
  type Json,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import { getContentText, getResultContent, parseTraceTime } from './trace-fields.ts';
import { readChatCallParts, readChatTextParts } from './openai-chat.ts';
import { translateOpenInference } from './openinference-attributes.ts';
import {
  type ParsedTrace,
  type TraceEntry,
  type TracePart,
  type TraceResult,
  mergeTraces,
  type TraceFormat,
} from './trace-format.ts';
import { createUnknownEntry } from './unknown-records.ts';

/**
 * OpenTelemetry spans with GenAI attributes. A run is a conversation, otherwise a trace. Calls come from the model's
 * replies, and results from tool spans or from the model's next input; if no content was recorded, tool spans are the
 * calls.
 */
export const otlpFormat: TraceFormat = {
  name: 'otlp',
  sign: 'resourceSpans with gen_ai or OpenInference attributes (OTLP)',
  matches: (document) => hasSpans(document) || (toOptionalList(document) ?? []).some(hasSpans),
  parse: (document, name) => buildSpanRuns([...readSpans(document)], name, 'otlp'),
};

/** Builds a run of each conversation in a list of spans. */
export function buildSpanRuns(spans: readonly OtlpSpan[], name: string, source: string): ParsedTrace {
  const runs = [...groupConversations(spans, name)];
  if (runs.length === 0)
    return { runs: [], problems: [{ location: '', problem: 'no span with gen_ai attributes' }] };
  return mergeTraces(
    runs.map(([id, found]) => {
      const model = findFirstAttribute(found, 'gen_ai.request.model');
      const facts = { id, source, ...(model === undefined ? {} : { model }) };
      return buildRecordedRun(facts, readOtlpEntries(found));
    }),
  );
}

function groupConversations(allSpans: readonly OtlpSpan[], name: string): ReadonlyMap<string, OtlpSpan[]> {
  const spans = allSpans.filter(
    (span) => isChatSpan(span) || isToolSpan(span) || isAgentSpan(span) || isUnknownSpan(span),
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

/** Operations that are neither a request nor a call of a tool. */
const ignoredOperations =
  /^(?:|create_agent|invoke_agent|invoke_workflow|embeddings|retrieval|rerank|chain|agent|retriever|embedding|reranker|guardrail|evaluator|prompt|unknown|workflow|task|span)$/i;

function isUnknownSpan(span: OtlpSpan): boolean {
  return !isChatSpan(span) && !isToolSpan(span) && !ignoredOperations.test(getSpanOperation(span));
}

function* readOtlpEntries(spans: readonly OtlpSpan[]): Generator<TraceEntry> {
  const inOrder = pairToolSpans(spans.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0)));
  // An agent span repeats the content of the spans inside it.
  const hasChats = inOrder.some(isChatSpan);
  const replies = inOrder.filter((span) => (hasChats ? isChatSpan(span) : isAgentSpan(span)));
  const calls = new Set(replies.flatMap(listSpanCallIds));
  const seenInputs = new Map<string, number>();
  for (const span of inOrder) {
    if (isToolSpan(span)) yield* readToolSpan(span, calls);
    else if (isUnknownSpan(span))
      yield createUnknownEntry(Object.fromEntries(span.attributes), span.location, getSpanOperation(span));
    else if (hasChats === isChatSpan(span)) {
      yield* readNewInputs(span, seenInputs);
      yield* readSpanReply(span);
    }
  }
}

/** Gives the spans of tools that have no call id the ids of the calls of the same tool in the replies before them. */
function pairToolSpans(spans: readonly OtlpSpan[]): readonly OtlpSpan[] {
  const known = new Set(spans.map(({ attributes }) => attributes.get('gen_ai.tool.call.id')));
  const waiting = new Map<string, string[]>();
  return spans.map((span) => {
    if (!isToolSpan(span)) {
      if (isChatSpan(span)) for (const part of readSpanReplyParts(span)) addWaitingCall(waiting, part, known);
      return span;
    }
    if (span.attributes.has('gen_ai.tool.call.id')) return span;
    const id = waiting.get(toOptionalString(span.attributes.get('gen_ai.tool.name')) ?? '')?.shift();
    if (id === undefined) return span;
    return { ...span, attributes: new Map([...span.attributes, ['gen_ai.tool.call.id', id]]) };
  });
}

function addWaitingCall(
  waiting: Map<string, string[]>,
  part: TracePart,
  known: ReadonlySet<Json | undefined>,
): void {
  if (part.type !== 'call' || part.id === undefined || known.has(part.id)) return;
  const ids = waiting.get(part.tool);
  if (ids === undefined) waiting.set(part.tool, [part.id]);
  else ids.push(part.id);
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

/** Returns the ids of the calls the model made in a span. */
function listSpanCallIds(span: OtlpSpan): readonly string[] {
  return readSpanReplyParts(span).flatMap((part) => (part.type === 'call' ? (part.id ?? []) : []));
}

/**
 * Reads the inputs of a span that are new. Each request repeats the whole conversation, so a user message, or a result
 * without an id, is new only if it occurs more often than before.
 */
function* readNewInputs(span: OtlpSpan, seenInputs: Map<string, number>): Generator<TraceEntry> {
  const now = new Map<string, number>();
  const isNew = (key: string): boolean => {
    const times = (now.get(key) ?? 0) + 1;
    now.set(key, times);
    return times > (seenInputs.get(key) ?? 0);
  };
  for (const message of getSpanMessages(span, 'gen_ai.input.messages')) {
    for (const result of readMessageResults(message, span.location)) {
      if (result.id !== undefined || isNew('result')) yield result;
    }
    const text = getJsonPath(message, 'role') === 'user' ? getSpanMessageText(message) : '';
    if (text !== '' && isNew(`user ${text}`)) yield { type: 'user', text, at: span.at };
  }
  for (const [key, times] of now) seenInputs.set(key, Math.max(times, seenInputs.get(key) ?? 0));
}

/** Reads the model's reply: the first of several choices, or only its usage if no content was recorded. */
function* readSpanReply(span: OtlpSpan): Generator<TraceEntry> {
  const { attributes, at } = span;
  const output = toOptionalCount(attributes.get('gen_ai.usage.output_tokens'));
  const input = toOptionalCount(attributes.get('gen_ai.usage.input_tokens'));
  const usage = output === undefined && input === undefined ? undefined : { output, input };
  if (attributes.has('gen_ai.output.messages'))
    yield { type: 'reply', parts: readSpanReplyParts(span), at, usage };
  else if (span.failed !== true) {
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

export type OtlpSpan = {
  readonly trace: string;
  readonly attributes: ReadonlyMap<string, Json>;
  readonly at: number | undefined;
  readonly failed: boolean | undefined;
  readonly location: string;
};

/** Deeper values are omitted, because no attribute of these conventions is nested so deeply. */
const attributeDepthMax = 30;

function hasSpans(document: Json): boolean {
  return toOptionalList(getJsonPath(document, 'resourceSpans')) !== undefined;
}

/** Reads every span of a document or of a list of documents. */
function* readSpans(document: Json): Generator<OtlpSpan> {
  const requests = toOptionalList(document);
  if (requests === undefined) yield* readRequestSpans(document, '');
  else for (const [index, request] of requests.entries()) yield* readRequestSpans(request, `[${index}].`);
}

function* readRequestSpans(request: Json, before: string): Generator<OtlpSpan> {
  for (const [r, resource] of (toOptionalList(getJsonPath(request, 'resourceSpans')) ?? []).entries()) {
    const scopes =
      toOptionalList(getJsonPath(resource, 'scopeSpans')) ??
      toOptionalList(getJsonPath(resource, 'instrumentationLibrarySpans')) ??
      [];
    for (const [s, scope] of scopes.entries()) {
      for (const [index, span] of (toOptionalList(getJsonPath(scope, 'spans')) ?? []).entries()) {
        yield parseSpan(span, `${before}resourceSpans[${r}].scopeSpans[${s}].spans[${index}]`);
      }
    }
  }
}

function parseSpan(span: Json, location: string): OtlpSpan {
  const attributes = new Map<string, Json>();
  for (const attribute of toOptionalList(getJsonPath(span, 'attributes')) ?? []) {
    const key = toOptionalString(getJsonPath(attribute, 'key'));
    const value = unwrapAttributeValue(getJsonPath(attribute, 'value'), 0);
    if (key !== undefined && value !== undefined) attributes.set(key, value);
  }
  const code = getJsonPath(span, 'status', 'code');
  const kind = toOptionalString(attributes.get('openinference.span.kind'));
  const name = toOptionalString(getJsonPath(span, 'name'));
  return {
    trace: toOptionalId(getJsonPath(span, 'traceId')) ?? '',
    attributes:
      kind === undefined || attributes.has('gen_ai.operation.name')
        ? attributes
        : translateOpenInference(Object.fromEntries(attributes), kind, name),
    at: parseTraceTime(getJsonPath(span, 'startTimeUnixNano')),
    failed: code === 2 || code === 'STATUS_CODE_ERROR' || attributes.has('error.type') ? true : undefined,
    location,
  };
}

/** Unwraps an OTLP typed value. */
function unwrapAttributeValue(value: Json | undefined, depth: number): Json | undefined {
  if (depth > attributeDepthMax) return undefined;
  for (const name of ['stringValue', 'boolValue', 'doubleValue']) {
    const found = getJsonPath(value, name);
    if (found !== undefined) return found;
  }
  const integer = getJsonPath(value, 'intValue');
  if (integer !== undefined) return typeof integer === 'string' ? Number(integer) : integer;
  const items = toOptionalList(getJsonPath(value, 'arrayValue', 'values'));
  if (items !== undefined) return items.map((item) => unwrapAttributeValue(item, depth + 1) ?? null);
  const fields = toOptionalList(getJsonPath(value, 'kvlistValue', 'values'));
  if (fields === undefined) return undefined;
  const named = (field: Json): [string, Json] => [
    toOptionalString(getJsonPath(field, 'key')) ?? '',
    unwrapAttributeValue(getJsonPath(field, 'value'), depth + 1) ?? null,
  ];
  return Object.fromEntries(fields.map(named));
}
