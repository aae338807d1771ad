import {
  type Json,
  getJsonPath,
  isJsonObject,
  parseNestedJson,
  toOptionalId,
  toOptionalList,
  toOptionalString,
} from '../json/json.ts';
import { buildSpanRuns, type OtlpSpan } from './otlp.ts';
import { parseTraceTime } from './trace-fields.ts';
import type { TraceFormat } from './trace-format.ts';
import { translateOpenInference } from './openinference-attributes.ts';

/**
 * Spans with OpenInference attributes as Phoenix exports them, as the console exporter of OpenTelemetry prints them, and
 * as trees. The attributes may be nested or have dotted names.
 */
export const openInferenceFormat: TraceFormat = {
  name: 'openinference',
  sign: 'spans with OpenInference attributes (Phoenix, smolagents)',
  matches: (document) => listSpans(document).some(({ span }) => getSpanKind(span) !== undefined),
  parse: (document, name) =>
    buildSpanRuns(
      listSpans(document).flatMap(({ span, location }) =>
        isJsonObject(span) ? [toOtlpSpan(span, location)] : [],
      ),
      name,
      'openinference',
    ),
};

type LocatedSpan = { readonly span: Json; readonly location: string };

/** Lists the spans of a list, an export or a tree. Iterative, because a tree may be deep. */
function listSpans(document: Json): readonly LocatedSpan[] {
  const pending: LocatedSpan[] = [{ span: document, location: '' }];
  const spans: LocatedSpan[] = [];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { span, location } = next;
    const items = toOptionalList(span);
    if (items !== undefined) pushSpans(pending, items, location);
    else if (getAttributes(span) !== undefined) spans.push(next);
    for (const name of ['spans', 'data', 'child_spans']) {
      const inner = toOptionalList(getJsonPath(span, name));
      if (inner !== undefined) pushSpans(pending, inner, location === '' ? name : `${location}.${name}`);
    }
  }
  return spans;
}

/** Pushes the spans of a list so that the first is popped first. */
function pushSpans(pending: LocatedSpan[], items: readonly Json[], location: string): void {
  const path = location.length <= spanPathMax ? location : '…';
  for (const [index, span] of [...items.entries()].toReversed())
    pending.push({ span, location: `${path}[${index}]` });
}

const spanPathMax = 200;

/** Returns the attributes of a span; those of a table are its columns. */
function getAttributes(span: Json): Json | undefined {
  const attributes = parseNestedJson(getJsonPath(span, 'attributes') ?? getJsonPath(span, 'span_attributes'));
  if (isJsonObject(attributes)) return attributes;
  if (!isJsonObject(span)) return undefined;
  const columns = Object.entries(span).filter(([name]) => name.startsWith(columnPrefix));
  return columns.length === 0
    ? undefined
    : Object.fromEntries(columns.map(([name, value]) => [name.slice(columnPrefix.length), value]));
}

const columnPrefix = 'attributes.';

function getSpanKind(span: Json): string | undefined {
  const attributes = getAttributes(span);
  const kind =
    getJsonPath(attributes, 'openinference.span.kind') ??
    getJsonPath(attributes, 'openinference', 'span', 'kind');
  return toOptionalString(kind);
}

function toOtlpSpan(span: Json, location: string): OtlpSpan {
  const kind = getSpanKind(span) ?? toOptionalString(getJsonPath(span, 'span_kind'));
  const trace =
    getJsonPath(span, 'context', 'trace_id') ??
    getJsonPath(span, 'context.trace_id') ??
    getJsonPath(span, 'trace_id');
  const status =
    toOptionalString(getJsonPath(span, 'status_code')) ??
    toOptionalString(getJsonPath(span, 'status', 'status_code'));
  const name =
    toOptionalString(getJsonPath(span, 'name')) ?? toOptionalString(getJsonPath(span, 'span_name'));
  return {
    trace: toOptionalId(trace) ?? '',
    attributes: translateOpenInference(getAttributes(span) ?? null, kind, name),
    at: parseTraceTime(getJsonPath(span, 'start_time')) ?? parseTraceTime(getJsonPath(span, 'timestamp')),
    failed: status !== undefined && /^(?:STATUS_CODE_)?ERROR$/i.test(status) ? true : undefined,
    location,
  };
}
