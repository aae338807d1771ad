import type { Json } from '../json.ts';

/** No tool takes or gives what is nested deeper. Whoever prints or compares a value may have to call itself as often. */
const depthMax = 100;

/** The value itself; or, if it is nested too deep, a copy in which what lies deeper is left out. */
export function bounded(value: Json | undefined): Json | undefined {
  return value !== undefined && isDeep(value, depthMax) ? cut(value, depthMax) : value;
}

function isDeep(value: Json, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((item) => isDeep(item, left - 1));
}

function cut(value: Json, left: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (left === 0) return '…';
  if (isList(value)) return value.map((item) => cut(item, left - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item, left - 1)]));
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
