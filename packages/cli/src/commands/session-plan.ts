import type { Budgets, Json, Profile, Settings } from '@pawl/core';
import { withAgentKeys } from '@pawl/runtime';
import { folderNamed } from '../folder-option.ts';
import { UsageError } from '../usage-error.ts';
import { filledUp } from './budget-options.ts';
import { configOf, withModel, type ConfigFlags } from './config-flags.ts';
import type { ModelFlags } from './model-options.ts';
import { profileNamed } from './profile-option.ts';
import { aboutOf } from './run-about.ts';
import { configFor } from './run-config.ts';

/** What a session begins with that a worker or the dashboard works on. */
export type SessionPlan = {
  readonly profile: string;
  readonly settings: Partial<Settings>;
  readonly about: Json;
};

type PlanFlags = ConfigFlags & ModelFlags & { readonly dir: string };

/** As the flags say, and the configuration of the folder where they say nothing. */
export async function planSession(flags: PlanFlags, asked: Budgets | null): Promise<SessionPlan> {
  const dir = await folderNamed(flags.dir);
  const { config } = await configFor(dir, configOf(flags), null);
  const name = config.profile ?? 'pawl';
  const { profile } = withAgentKeys(await profileNamed(name), config);
  checkNeedsNoFiles(profile);
  const used = { ...flags, ...withModel(flags, config) };
  const budgets = filledUp(filledUp(asked, config.budgets), profile.settings.budgets);
  return {
    profile: profile.name,
    settings: { ...profile.settings, budgets },
    about: aboutOf({ ...used, dir, model: used.model ?? 'librarian', profile: name }),
  };
}

/** The profiles of LKJAgent keep their memory in files of the folder, which only `pawl run` writes. */
function checkNeedsNoFiles({ name, settings }: Profile): void {
  const chart = settings.chart?.name;
  if (chart !== 'lkj' && chart !== 'lkj1') return;
  throw new UsageError(
    `The profile ${name} keeps its memory in files of the folder, which only pawl run writes. Run it where the folder is: pawl run --profile ${name}`,
  );
}
