import type { Json } from '../json.ts';

/** Deeper than this, two values are told apart no further; no tool takes arguments nested so deep. */
const depthMax = 40;

/** JSON with the keys of every object in order, so that equal values give equal texts however they were written. */
export function canonical(value: Json, depth = 0): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (depth === depthMax) return '…';
  if (isList(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, depth + 1)}`).join(',')}}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
