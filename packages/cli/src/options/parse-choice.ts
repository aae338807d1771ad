import { formatUnknownName } from '@pawl/runtime/suggestions';
import { UsageError } from '../exit-codes.ts';

/** Parses a value that must be one of these names. */
export function parseChoice<Name extends string>(kind: string, value: string, names: readonly Name[]): Name {
  const match = names.find((name) => name === value);
  if (match !== undefined) return match;
  throw createUnknownNameError(kind, value, names);
}

export function createUnknownNameError(kind: string, value: string, names: readonly string[]): UsageError {
  return new UsageError(formatUnknownName(kind, value, names));
}
