import {
  applyAgentKeys,
  applyModelConfig,
  fillMissingBudgets,
  flagsToConfig,
  toRunMetadata,
  type ConfigFlags,
  type ModelFlags,
} from '@pawl/runtime/agent-setup';
import type { BudgetLimits, Json, SessionSettings } from '@pawl/core';
import type { Profile } from '@pawl/core/profiles';
import { resolveFolder } from '../options/parse-options.ts';
import { UsageError } from '../output/exit-codes.ts';
import { resolveProfileOption, loadConfig, withSetupUsageErrors } from '../options/load-config.ts';

/** The initial settings of a session that a worker or the dashboard runs. */
export type SessionPlan = {
  readonly profile: string;
  readonly settings: Partial<SessionSettings>;
  readonly metadata: Json;
};

type SessionPlanFlags = ConfigFlags & ModelFlags & { readonly dir: string };

/** Plans a session from the flags, with defaults from the folder's configuration. */
export function planSession(flags: SessionPlanFlags, budgetFlags: BudgetLimits | null): Promise<SessionPlan> {
  return withSetupUsageErrors(() => buildSessionPlan(flags, budgetFlags));
}

async function buildSessionPlan(
  flags: SessionPlanFlags,
  budgetFlags: BudgetLimits | null,
): Promise<SessionPlan> {
  const dir = await resolveFolder(flags.dir);
  const { config } = await loadConfig(dir, flagsToConfig(flags), null);
  const name = config.profile ?? 'pawl';
  const { profile } = applyAgentKeys(await resolveProfileOption(name), config);
  requireFilelessProfile(profile);
  const modelFlags = { ...flags, ...applyModelConfig(flags, config) };
  const budgets = fillMissingBudgets(
    fillMissingBudgets(budgetFlags, config.budgets),
    profile.settings.budgets,
  );
  return {
    profile: profile.name,
    settings: { ...profile.settings, budgets },
    metadata: toRunMetadata({ ...modelFlags, dir, model: modelFlags.model ?? 'librarian', profile: name }),
  };
}

/** LKJAgent profiles store their memory in files of the folder, which only `pawl run` writes. */
function requireFilelessProfile({ name, settings }: Profile): void {
  const chart = settings.chart?.name;
  if (chart !== 'lkj' && chart !== 'lkj1') return;
  throw new UsageError(
    `The profile ${name} stores its memory in files of the folder, which only pawl run supports. Use: pawl run --profile ${name}`,
  );
}
