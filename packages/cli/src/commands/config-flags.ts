import { permissionModes, type Config } from '@pawl/runtime';
import type { ModelFlags } from './model-options.ts';
import { oneOf } from '../one-of.ts';

export type ConfigFlags = {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly summaryModel?: string;
  readonly profile?: string;
  readonly mode?: string;
  readonly autoCommit?: boolean;
};

/** What stands on the command line, as a configuration. */
export function configOf(flags: ConfigFlags): Config {
  const { model, baseUrl, summaryModel, profile, mode, autoCommit } = flags;
  return {
    ...(model !== undefined && { model }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(summaryModel !== undefined && { summaryModel }),
    ...(profile !== undefined && { profile }),
    ...(mode !== undefined && { permission: { mode: oneOf('mode', mode, permissionModes) } }),
    ...(autoCommit === true && { hooks: { autoCommit } }),
  };
}

/** The model that counts in the end, with its prices: those on the command line, or those of the configuration. */
export function withModel(flags: ModelFlags, config: Config): ModelFlags {
  const { model, baseUrl, summaryModel, prices = {} } = config;
  const known = model !== undefined && Object.hasOwn(prices, model) ? prices[model] : undefined;
  return {
    ...(known !== undefined && {
      priceIn: String(known.inputPerMillion),
      priceOut: String(known.outputPerMillion),
    }),
    ...flags,
    ...(model !== undefined && { model }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(summaryModel !== undefined && { summaryModel }),
  };
}
