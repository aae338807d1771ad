import type { Json } from '../json.ts';

/** Values nested deeper than this are not distinguished, because no tool takes arguments nested so deeply. */
const canonicalDepthMax = 40;

/** Serializes JSON with sorted object keys, so that equal values give equal texts. */
export function canonicalizeJson(value: Json, depth = 0): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (depth === canonicalDepthMax) return '…';
  if (isJsonArray(value)) return `[${value.map((item) => canonicalizeJson(item, depth + 1)).join(',')}]`;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalizeJson(item, depth + 1)}`).join(',')}}`;
}

function isJsonArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
