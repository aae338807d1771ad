import type { Json } from '../json.ts';

/** The first of these arguments that is there and is a text; null when none is. Tools differ in what they call things. */
export function textUnder(args: Json, names: readonly string[]): string | null {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return null;
  for (const name of names) {
    const value = Object.hasOwn(args, name) ? (args as { readonly [key: string]: Json })[name] : undefined;
    if (typeof value === 'string') return value;
  }
  return null;
}
