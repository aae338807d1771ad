import type { Json } from '@pawl/core';
import * as z from 'zod';
import { describeMismatch } from '../text/one-line.ts';

/** Maximum nesting depth of a payload; deeper values would overflow the stack when printed or parsed. */
export const payloadDepthMax = 256;

/** More values than the longest line can contain; only a circular structure gets this far. */
const payloadValuesMax = 10_000_000;

/** Any JSON, such as tool arguments or results. It is passed on unchanged, including `__proto__` keys. */
export const anyJsonSchema: z.ZodCustom<Json> = z.custom<Json>(
  (value) => explainInvalidJson(value) === null,
  {
    error: ({ input }) => explainInvalidJson(input) ?? 'expected JSON',
  },
);

/** Iterates level by level, because recursion would let hostile nesting overflow the stack. */
function explainInvalidJson(value: unknown): string | null {
  if (value === undefined) return describeMismatch('any JSON', value);
  let level: readonly unknown[] = [value];
  let count = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    const inner: unknown[] = [];
    for (const item of level) {
      if (isJsonLeaf(item)) continue;
      if (depth === payloadDepthMax) return `nested too deeply; expected at most ${payloadDepthMax} levels`;
      if (!isJsonContainer(item))
        return `expected JSON, got a value of type ${typeof item} that JSON cannot hold`;
      for (const child of Array.isArray(item) ? item : Object.values(item)) inner.push(child);
      if (count + inner.length > payloadValuesMax)
        return 'expected JSON, got a structure that is too large or circular';
    }
    count += inner.length;
    level = inner;
  }
  return null;
}

function isJsonLeaf(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** Whether the value is an array or a plain object, not a class instance such as a date or a map. */
function isJsonContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
