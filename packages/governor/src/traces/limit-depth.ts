import type { Json } from '../json.ts';

/** No tool takes or returns deeper values; the limit protects recursive printers and comparisons. */
const traceDepthMax = 100;

/** Returns the value itself, or a copy truncated at the maximum depth. */
export function limitDepth(value: Json | undefined): Json | undefined {
  return value !== undefined && exceedsDepth(value, traceDepthMax) ? cutAtDepth(value, traceDepthMax) : value;
}

function exceedsDepth(value: Json, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((item) => exceedsDepth(item, left - 1));
}

function cutAtDepth(value: Json, left: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (left === 0) return '…';
  if (isJsonArray(value)) return value.map((item) => cutAtDepth(item, left - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cutAtDepth(item, left - 1)]));
}

function isJsonArray(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
