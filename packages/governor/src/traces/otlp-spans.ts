import type { Json } from '../json.ts';
import { getJsonPath, toOptionalId, toOptionalList, toOptionalString } from '../json-fields.ts';
import { parseTraceTime } from './trace-time.ts';

export type OtlpSpan = {
  readonly trace: string;
  readonly attributes: ReadonlyMap<string, Json>;
  readonly at: number | undefined;
  readonly failed: boolean;
  readonly location: string;
};

/** Deeper values are omitted, because no attribute of these conventions is nested so deeply. */
const attributeDepthMax = 30;

export function hasSpans(document: Json): boolean {
  return toOptionalList(getJsonPath(document, 'resourceSpans')) !== undefined;
}

/** Reads every span of a document or of a list of documents. */
export function* readSpans(document: Json): Generator<OtlpSpan> {
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
  return {
    trace: toOptionalId(getJsonPath(span, 'traceId')) ?? '',
    attributes,
    at: parseTraceTime(getJsonPath(span, 'startTimeUnixNano')),
    failed: code === 2 || code === 'STATUS_CODE_ERROR' || attributes.has('error.type'),
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
