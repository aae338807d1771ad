import { nearest } from '@pawl/runtime';
import { UsageError } from './usage-error.ts';

/** The name that was given, where it is one of these. */
export function oneOf<Name extends string>(what: string, given: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === given);
  if (found !== undefined) return found;
  throw noSuch(what, given, names);
}

export function noSuch(what: string, given: string, names: readonly string[]): UsageError {
  return new UsageError(
    `There is no ${what} ${JSON.stringify(given)}.${didYouMean(given, names)} There are: ${names.join(', ')}.`,
  );
}

/** A hint at the name that was probably meant, to be put into an error message; empty when none is near. */
export function didYouMean(given: string, names: readonly string[]): string {
  const hint = nearest(given, names, Math.floor(given.length / 3));
  return hint === undefined ? '' : ` Did you mean ${hint}?`;
}
