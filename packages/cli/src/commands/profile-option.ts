import { findProfile, profiles, type Profile } from '@pawl/core';
import { ProfileFileError, readProfileFile } from '@pawl/runtime';
import { asUsageError } from '../usage-error.ts';
import { noSuch } from '../one-of.ts';

/** The profile that `--profile` means: one that is built in, by its name, or that of a file. */
export async function profileNamed(nameOrPath: string): Promise<Profile> {
  const found = findProfile(nameOrPath);
  if (found !== undefined) return found;
  if (!isFileName(nameOrPath)) {
    throw noSuch(
      'profile',
      nameOrPath,
      profiles.map(({ name }) => name),
    );
  }
  try {
    return await readProfileFile(nameOrPath);
  } catch (error) {
    throw asUsageError(error, ProfileFileError);
  }
}

/** Whether a word of the command line, where there could be a name as well, means a file. */
export function isFileName(word: string): boolean {
  return /[/\\]|\.(?:json|ya?ml)$/i.test(word);
}
