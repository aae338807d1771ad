import type { Json } from '../json.ts';

/** Returns the first of these arguments that is a string, or null. Tools use different names for the same argument. */
export function getTextArgument(args: Json, names: readonly string[]): string | null {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return null;
  for (const name of names) {
    const value = Object.hasOwn(args, name) ? (args as { readonly [key: string]: Json })[name] : undefined;
    if (typeof value === 'string') return value;
  }
  return null;
}
