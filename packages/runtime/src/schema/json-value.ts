import type { Json } from '@pawl/core';
import * as z from 'zod';
import { mismatch } from './one-line.ts';

/** How deep arrays and objects may be nested in a payload; what prints or reads them would run out of stack deeper down. */
export const depthMax = 256;

/** More values than the longest line can hold; only a structure that contains itself gets this far. */
const valuesMax = 10_000_000;

/** Any JSON: the arguments of a call, what a tool gave back. It is passed on as it came, `__proto__` keys and all. */
export const anyJson: z.ZodCustom<Json> = z.custom<Json>((value) => whyNotJson(value) === null, {
  error: ({ input }) => whyNotJson(input) ?? 'expected JSON',
});

/** Goes level by level, since a call per level is what hostile nesting is made to exhaust. */
function whyNotJson(value: unknown): string | null {
  if (value === undefined) return mismatch('any JSON', value);
  let level: readonly unknown[] = [value];
  let seen = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    const inner: unknown[] = [];
    for (const item of level) {
      if (isLeaf(item)) continue;
      if (depth === depthMax) return `nested too deeply; expected at most ${depthMax} levels`;
      if (!isContainer(item))
        return `expected JSON, got a value of type ${typeof item} that JSON cannot hold`;
      for (const child of Array.isArray(item) ? item : Object.values(item)) inner.push(child);
      if (seen + inner.length > valuesMax) return 'expected JSON, got a structure too large or without end';
    }
    seen += inner.length;
    level = inner;
  }
  return null;
}

function isLeaf(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** An array or a plain object; not a date, a map or any other thing with a class. */
function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
