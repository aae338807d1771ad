import { findProfile, builtInProfiles, type Profile } from '@pawl/core/profiles';
import { AgentConfigError } from '../agent-setup/run-options.ts';
import { formatUnknownName } from '../nearest-name.ts';

/** Resolves a name to a built-in profile and a path to a profile file. */
export async function resolveProfile(nameOrPath: string): Promise<Profile> {
  const profile = findProfile(nameOrPath);
  if (profile !== undefined) return profile;
  if (isDataFilePath(nameOrPath)) {
    const { readProfileFile } = await import('./read-profile-file.ts');
    return readProfileFile(nameOrPath);
  }
  const names = builtInProfiles.map(({ name }) => name);
  throw new AgentConfigError(formatUnknownName('profile', nameOrPath, names));
}

/** Returns whether a word that could be a name is the path of a data file. */
export function isDataFilePath(text: string): boolean {
  return /[/\\]|\.(?:json|ya?ml)$/i.test(text);
}
