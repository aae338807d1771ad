import type { Json } from '@pawl/core';
import { findJsonProblem } from '@pawl/governor/json';
import * as z from 'zod';
import { describeMismatch } from '../text/one-line.ts';

/** Maximum nesting depth of a payload; deeper values would overflow the stack when printed or parsed. */
export const payloadDepthMax = 256;

/** Any JSON, such as tool arguments or results. It is passed on unchanged, including `__proto__` keys. */
export const anyJsonSchema: z.ZodCustom<Json> = z.custom<Json>(
  (value) => explainInvalidJson(value) === null,
  {
    error: ({ input }) => explainInvalidJson(input) ?? 'expected JSON',
  },
);

function explainInvalidJson(value: unknown): string | null {
  if (value === undefined) return describeMismatch('any JSON', value);
  const problem = findJsonProblem(value, payloadDepthMax);
  switch (problem?.kind) {
    case undefined:
      return null;
    case 'type':
      return `expected JSON, got a value of type ${typeof problem.value} that JSON cannot hold`;
    case 'depth':
      return `nested too deeply; expected at most ${payloadDepthMax} levels`;
    case 'size':
      return 'expected JSON, got a structure that is too large or circular';
    default:
      return problem satisfies never;
  }
}

/** Whether a value has more levels than this. It recurses no deeper than the limit, so it cannot overflow the stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.some((part) => isDeeperThan(part, levels - 1));
}
