import { findNearestName } from '@pawl/runtime';
import { UsageError } from './usage-error.ts';

/** Parses a value that must be one of these names. */
export function parseChoice<Name extends string>(what: string, given: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === given);
  if (found !== undefined) return found;
  throw createUnknownNameError(what, given, names);
}

export function createUnknownNameError(what: string, given: string, names: readonly string[]): UsageError {
  return new UsageError(
    `There is no ${what} ${JSON.stringify(given)}.${formatNameSuggestion(given, names)} There are: ${names.join(', ')}.`,
  );
}

/** Suggests the nearest name for an error message; empty if none is close. */
export function formatNameSuggestion(given: string, names: readonly string[]): string {
  const hint = findNearestName(given, names, Math.floor(given.length / 3));
  return hint === undefined ? '' : ` Did you mean ${hint}?`;
}
