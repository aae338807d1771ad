import { nearest } from '@pawl/runtime';

/** A hint at the name that was probably meant, to be put into an error message; empty when none is near. */
export function didYouMean(given: string, names: readonly string[]): string {
  const hint = nearest(given, names, Math.floor(given.length / 3));
  return hint === undefined ? '' : ` Did you mean ${hint}?`;
}
