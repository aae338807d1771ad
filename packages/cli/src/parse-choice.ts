import { findNearestName } from '@pawl/runtime';
import { UsageError } from './usage-error.ts';

/** Parses a value that must be one of these names. */
export function parseChoice<Name extends string>(kind: string, value: string, names: readonly Name[]): Name {
  const match = names.find((name) => name === value);
  if (match !== undefined) return match;
  throw createUnknownNameError(kind, value, names);
}

export function createUnknownNameError(kind: string, value: string, names: readonly string[]): UsageError {
  return new UsageError(
    `Unknown ${kind} ${JSON.stringify(value)}.${formatNameSuggestion(value, names)} Available: ${names.join(', ')}.`,
  );
}

/** Suggests the nearest name for an error message; empty if none is close. */
export function formatNameSuggestion(value: string, names: readonly string[]): string {
  const hint = findNearestName(value, names, Math.floor(value.length / 3));
  return hint === undefined ? '' : ` Did you mean ${hint}?`;
}
