import type { Json } from '../json.ts';
import { countOf, get } from '../json-fields.ts';

/** What a reply of the model cost, as its provider counted it. */
export type Usage = { readonly output: number | undefined; readonly input: number | undefined };

const outputNames = ['output_tokens', 'completion_tokens', 'outputTokens', 'completionTokens'];
const inputNames = ['input_tokens', 'prompt_tokens', 'inputTokens', 'promptTokens'];

/** The usage in one of the spellings that providers and frameworks have for it. */
export function usageOf(value: Json | undefined): Usage | undefined {
  const output = firstNumber(value, outputNames);
  const input = firstNumber(value, inputNames);
  return output === undefined && input === undefined ? undefined : { output, input };
}

/** Roughly how many tokens so many characters are. */
export function tokensIn(characters: number): number {
  return Math.round(characters / 4);
}

/**
 * How many characters a value is long as JSON, give or take what must be escaped. It takes no notice of how deep the
 * value is nested, where printing it would.
 */
export function jsonLength(value: Json | undefined): number {
  if (value === undefined) return 0;
  let length = 0;
  const pending: Json[] = [value];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    if (typeof item === 'string') length += item.length + 2;
    else if (typeof item !== 'object' || item === null) length += String(item).length;
    else length += lengthAround(item, pending);
  }
  return length;
}

/** The brackets, commas and names; what is between them is left for later. */
function lengthAround(item: readonly Json[] | { readonly [key: string]: Json }, pending: Json[]): number {
  const entries = Object.entries(item);
  for (const [, inner] of entries) pending.push(inner);
  const names = Array.isArray(item) ? 0 : entries.reduce((sum, [name]) => sum + name.length + 3, 0);
  return 2 + Math.max(0, entries.length - 1) + names;
}

function firstNumber(value: Json | undefined, names: readonly string[]): number | undefined {
  for (const name of names) {
    const number = countOf(get(value, name));
    if (number !== undefined) return number;
  }
  return undefined;
}
