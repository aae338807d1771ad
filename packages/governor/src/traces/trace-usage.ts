import type { Json } from '../json.ts';
import { toOptionalCount, getJsonPath } from '../json-fields.ts';

/** Usage of a model reply, as counted by its provider. */
export type TraceUsage = { readonly output: number | undefined; readonly input: number | undefined };

const outputTokenNames = ['output_tokens', 'completion_tokens', 'outputTokens', 'completionTokens'];
const inputTokenNames = ['input_tokens', 'prompt_tokens', 'inputTokens', 'promptTokens'];

/** Parses usage in any of the spellings of providers and frameworks. */
export function parseTraceUsage(value: Json | undefined): TraceUsage | undefined {
  const output = findFirstCount(value, outputTokenNames);
  const input = findFirstCount(value, inputTokenNames);
  return output === undefined && input === undefined ? undefined : { output, input };
}

/** Estimates the number of tokens for a number of characters. */
export function estimateTextTokens(characters: number): number {
  return Math.round(characters / 4);
}

/**
 * Estimates the length of a value as JSON, ignoring escapes. Iterative, so that deep nesting cannot overflow the stack.
 */
export function estimateJsonLength(value: Json | undefined): number {
  if (value === undefined) return 0;
  let length = 0;
  const pending: Json[] = [value];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    if (typeof item === 'string') length += item.length + 2;
    else if (typeof item !== 'object' || item === null) length += String(item).length;
    else length += measureContainer(item, pending);
  }
  return length;
}

/** Counts brackets, commas and names; nested values are queued. */
function measureContainer(item: readonly Json[] | { readonly [key: string]: Json }, pending: Json[]): number {
  const entries = Object.entries(item);
  for (const [, inner] of entries) pending.push(inner);
  const names = Array.isArray(item) ? 0 : entries.reduce((sum, [name]) => sum + name.length + 3, 0);
  return 2 + Math.max(0, entries.length - 1) + names;
}

function findFirstCount(value: Json | undefined, names: readonly string[]): number | undefined {
  for (const name of names) {
    const number = toOptionalCount(getJsonPath(value, name));
    if (number !== undefined) return number;
  }
  return undefined;
}
