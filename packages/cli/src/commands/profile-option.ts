import { findProfile, builtInProfiles, type Profile } from '@pawl/core';
import { ProfileFileError, readProfileFile } from '@pawl/runtime';
import { toUsageError } from '../usage-error.ts';
import { createUnknownNameError } from '../parse-choice.ts';

/** Resolves `--profile` to a built-in profile or a profile file. */
export async function resolveProfile(nameOrPath: string): Promise<Profile> {
  const profile = findProfile(nameOrPath);
  if (profile !== undefined) return profile;
  if (!isFilePath(nameOrPath)) {
    throw createUnknownNameError(
      'profile',
      nameOrPath,
      builtInProfiles.map(({ name }) => name),
    );
  }
  try {
    return await readProfileFile(nameOrPath);
  } catch (error) {
    throw toUsageError(error, ProfileFileError);
  }
}

/** Returns whether a word that could be a name is a file path. */
export function isFilePath(text: string): boolean {
  return /[/\\]|\.(?:json|ya?ml)$/i.test(text);
}
