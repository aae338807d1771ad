import type { Json } from '../json.ts';
import { get, idOf, listOf, stringOf } from '../json-fields.ts';
import { timeOf } from './time.ts';

export type Span = {
  readonly trace: string;
  readonly attributes: ReadonlyMap<string, Json>;
  readonly at: number | undefined;
  readonly failed: boolean;
  readonly where: string;
};

/** Deeper values are left out; no attribute of these conventions is nested so deep. */
const depthMax = 30;

export function hasSpans(document: Json): boolean {
  return listOf(get(document, 'resourceSpans')) !== undefined;
}

/** Every span of a document, or of many that came one after the other. */
export function* spansIn(document: Json): Generator<Span> {
  const requests = listOf(document);
  if (requests === undefined) yield* spansOf(document, '');
  else for (const [index, request] of requests.entries()) yield* spansOf(request, `[${index}].`);
}

function* spansOf(request: Json, before: string): Generator<Span> {
  for (const [r, resource] of (listOf(get(request, 'resourceSpans')) ?? []).entries()) {
    const scopes =
      listOf(get(resource, 'scopeSpans')) ?? listOf(get(resource, 'instrumentationLibrarySpans')) ?? [];
    for (const [s, scope] of scopes.entries()) {
      for (const [index, span] of (listOf(get(scope, 'spans')) ?? []).entries()) {
        yield spanOf(span, `${before}resourceSpans[${r}].scopeSpans[${s}].spans[${index}]`);
      }
    }
  }
}

function spanOf(span: Json, where: string): Span {
  const attributes = new Map<string, Json>();
  for (const attribute of listOf(get(span, 'attributes')) ?? []) {
    const key = stringOf(get(attribute, 'key'));
    const value = plain(get(attribute, 'value'), 0);
    if (key !== undefined && value !== undefined) attributes.set(key, value);
  }
  const code = get(span, 'status', 'code');
  return {
    trace: idOf(get(span, 'traceId')) ?? '',
    attributes,
    at: timeOf(get(span, 'startTimeUnixNano')),
    failed: code === 2 || code === 'STATUS_CODE_ERROR' || attributes.has('error.type'),
    where,
  };
}

/** A value without the names of its types. */
function plain(value: Json | undefined, depth: number): Json | undefined {
  if (depth > depthMax) return undefined;
  for (const name of ['stringValue', 'boolValue', 'doubleValue']) {
    const found = get(value, name);
    if (found !== undefined) return found;
  }
  const integer = get(value, 'intValue');
  if (integer !== undefined) return typeof integer === 'string' ? Number(integer) : integer;
  const items = listOf(get(value, 'arrayValue', 'values'));
  if (items !== undefined) return items.map((item) => plain(item, depth + 1) ?? null);
  const fields = listOf(get(value, 'kvlistValue', 'values'));
  if (fields === undefined) return undefined;
  const named = (field: Json): [string, Json] => [
    stringOf(get(field, 'key')) ?? '',
    plain(get(field, 'value'), depth + 1) ?? null,
  ];
  return Object.fromEntries(fields.map(named));
}
