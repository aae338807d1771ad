import { profiles } from '@pawl/core';
import { nearest } from '../nearest.ts';
import { UsageError } from '../usage-error.ts';

export function unknownProfile(name: string): UsageError {
  const names = profiles.map((profile) => profile.name);
  const hint = nearest(name, names);
  const meant = hint === null ? '' : ` Did you mean ${hint}?`;
  return new UsageError(
    `There is no profile ${JSON.stringify(name)}.${meant} There are: ${names.join(', ')}.`,
  );
}
