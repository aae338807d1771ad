import { permissionModes, type Config } from '@pawl/runtime';
import type { ModelFlags } from './model-options.ts';
import { parseChoice } from '../parse-choice.ts';

export type ConfigFlags = {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly summaryModel?: string;
  readonly profile?: string;
  readonly mode?: string;
  readonly autoCommit?: boolean;
};

/** Converts command-line flags to a configuration. */
export function flagsToConfig(flags: ConfigFlags): Config {
  const { model, baseUrl, summaryModel, profile, mode, autoCommit } = flags;
  return {
    ...(model !== undefined && { model }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(summaryModel !== undefined && { summaryModel }),
    ...(profile !== undefined && { profile }),
    ...(mode !== undefined && { permission: { mode: parseChoice('mode', mode, permissionModes) } }),
    ...(autoCommit === true && { hooks: { autoCommit } }),
  };
}

/** Merges model and prices: the command line overrides the configuration. */
export function applyModelConfig(flags: ModelFlags, config: Config): ModelFlags {
  const { model, baseUrl, summaryModel, prices = {} } = config;
  const price = model !== undefined && Object.hasOwn(prices, model) ? prices[model] : undefined;
  return {
    ...(price !== undefined && {
      priceIn: String(price.inputPerMillion),
      priceOut: String(price.outputPerMillion),
    }),
    ...flags,
    ...(model !== undefined && { model }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(summaryModel !== undefined && { summaryModel }),
  };
}
