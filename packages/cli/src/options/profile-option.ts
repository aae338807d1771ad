import type { Profile } from '@pawl/core/profiles';
import { resolveProfile } from '@pawl/runtime/agent-setup';
import { withSetupUsageErrors } from './load-config.ts';

/** Resolves `--profile` to a built-in profile or a profile file. */
export function resolveProfileOption(nameOrPath: string): Promise<Profile> {
  return withSetupUsageErrors(() => resolveProfile(nameOrPath));
}
