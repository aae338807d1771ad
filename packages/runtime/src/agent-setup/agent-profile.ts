import { findProfile, builtInProfiles, type Profile } from '@pawl/core/profiles';
import type { Config } from '../config/config.ts';
import { formatUnknownName } from '../text/nearest-name.ts';
import { AgentConfigError } from './run-options.ts';

/** Resolves a name to a built-in profile and a path to a profile file. */
export async function resolveProfile(nameOrPath: string): Promise<Profile> {
  const profile = findProfile(nameOrPath);
  if (profile !== undefined) return profile;
  if (isDataFilePath(nameOrPath)) {
    const { readProfileFile } = await import('../profiles/read-profile-file.ts');
    return readProfileFile(nameOrPath);
  }
  const names = builtInProfiles.map(({ name }) => name);
  throw new AgentConfigError(formatUnknownName('profile', nameOrPath, names));
}

/** Returns whether a word that could be a name is the path of a data file. */
export function isDataFilePath(text: string): boolean {
  return /[/\\]|\.(?:json|ya?ml)$/i.test(text);
}

export type ProfileWithKeys = { readonly profile: Profile; readonly warnings: readonly string[] };

/**
 * Applies the `agent` keys of the configuration to a profile. These keys use the spelling of two other agent systems.
 * Keys that do not apply to the profile are ignored with a warning.
 */
export function applyAgentKeys(profile: Profile, { agent = {} }: Config): ProfileWithKeys {
  const { max_retries: maxRetries, state_machine: keys } = agent;
  const { governor } = profile.settings;
  const isNexora = governor?.preset === 'nexora' || governor?.preset === 'nexora-lenient';
  const settings = {
    ...profile.settings,
    ...(maxRetries !== undefined && { maxRetries }),
    ...(keys !== undefined &&
      isNexora && { governor: { ...governor, config: replaceConfigKeys(governor.config, keys) } }),
  };
  const warnings =
    keys === undefined || isNexora
      ? []
      : [
          `agent.state_machine was ignored: it applies only to the nexora governor, which the profile ${profile.name} does not use.`,
        ];
  return { profile: { ...profile, settings }, warnings };
}

/** Replaces values regardless of key spelling: each key may be in camel case or snake case. */
function replaceConfigKeys<Value extends object>(
  config: Value | undefined,
  overrides: object,
): Value & object {
  const names = new Set(Object.keys(overrides).map(normalizeConfigKey));
  const otherEntries = Object.entries(config ?? {}).filter(([key]) => !names.has(normalizeConfigKey(key)));
  return { ...Object.fromEntries(otherEntries), ...overrides } as Value & object;
}

function normalizeConfigKey(key: string): string {
  return key.replaceAll('_', '').toLowerCase();
}
