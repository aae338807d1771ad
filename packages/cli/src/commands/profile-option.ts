import { profiles } from '@pawl/core';
import { didYouMean } from '../did-you-mean.ts';
import { UsageError } from '../usage-error.ts';

export function unknownProfile(name: string): UsageError {
  const names = profiles.map((profile) => profile.name);
  return new UsageError(
    `There is no profile ${JSON.stringify(name)}.${didYouMean(name, names)} There are: ${names.join(', ')}.`,
  );
}
