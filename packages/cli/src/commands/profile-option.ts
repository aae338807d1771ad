import { findProfile, profiles, type Profile } from '@pawl/core';
import { ProfileFileError, readProfileFile } from '@pawl/runtime';
import { didYouMean } from '../did-you-mean.ts';
import { UsageError } from '../usage-error.ts';

/** The profile that `--profile` means: one that is built in, by its name, or that of a file. */
export async function profileNamed(nameOrPath: string): Promise<Profile> {
  const found = findProfile(nameOrPath);
  if (found !== undefined) return found;
  if (!isFileName(nameOrPath)) throw unknownProfile(nameOrPath);
  try {
    return await readProfileFile(nameOrPath);
  } catch (error) {
    throw error instanceof ProfileFileError ? new UsageError(error.message, { cause: error }) : error;
  }
}

function unknownProfile(name: string): UsageError {
  const names = profiles.map((profile) => profile.name);
  return new UsageError(
    `There is no profile ${JSON.stringify(name)}.${didYouMean(name, names)} There are: ${names.join(', ')}.`,
  );
}

/** Whether a word of the command line, where there could be a name as well, means a file. */
export function isFileName(word: string): boolean {
  return /[/\\]|\.(?:json|ya?ml)$/i.test(word);
}
