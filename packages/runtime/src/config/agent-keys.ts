import type { Profile } from '@pawl/core';
import type { Config } from './config.ts';

export type ProfileWithKeys = { readonly profile: Profile; readonly warnings: readonly string[] };

/**
 * The profile with what stands under `agent` in the configuration: keys as they were written for two of the systems that
 * Pawl learnt from. What the profile has no use for is left out, and that is said.
 */
export function withAgentKeys(profile: Profile, { agent = {} }: Config): ProfileWithKeys {
  const { max_retries: maxRetries, state_machine: keys } = agent;
  const { governor } = profile.settings;
  const isFor = governor?.preset === 'nexora' || governor?.preset === 'nexora-lenient';
  const settings = {
    ...profile.settings,
    ...(maxRetries !== undefined && { maxRetries }),
    ...(keys !== undefined &&
      isFor && { governor: { ...governor, config: replaced(governor.config, keys) } }),
  };
  const warnings =
    keys === undefined || isFor
      ? []
      : [
          `agent.state_machine is for the governor nexora, which the profile ${profile.name} does not have; it was left out.`,
        ];
  return { profile: { ...profile, settings }, warnings };
}

/** A key may be spelt in two ways, and what replaces a value need not be spelt as that was. */
function replaced<Value extends object>(before: Value | undefined, given: object): Value & object {
  const names = new Set(Object.keys(given).map(plain));
  const kept = Object.entries(before ?? {}).filter(([key]) => !names.has(plain(key)));
  return { ...Object.fromEntries(kept), ...given } as Value & object;
}

function plain(key: string): string {
  return key.replaceAll('_', '').toLowerCase();
}
