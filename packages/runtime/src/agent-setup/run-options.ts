import type { BudgetLimits, Json } from '@pawl/core';
import * as z from 'zod';
import type { Config } from '../config/config.ts';
import type { NamedModelOptions } from '../models/providers/model-from-spec.ts';
import { formatUnknownName } from '../text/nearest-name.ts';
import { permissionModes } from '../permission/modes.ts';
import type { AgentToolConfig } from './coding-setup.ts';
import type { Model } from '../models/model.ts';

const optionalText = z.exactOptional(z.string());
const optionalBoolean = z.exactOptional(z.boolean());

type PossiblyUndefined<Type> = { readonly [Key in keyof Type]: Type[Key] | undefined };

/**
 * Metadata stored with a session so that it can be resumed with the same folder, model and permissions. It never
 * contains API keys.
 */
const runMetadataSchema = z.object({
  dir: z.string(),
  model: z.string(),
  profile: z.string(),
  baseUrl: optionalText,
  summaryModel: optionalText,
  mode: optionalText,
  autoCommit: optionalBoolean,
  watchResources: optionalBoolean,
  priceIn: optionalText,
  priceOut: optionalText,
  maxOutputTokens: optionalText,
});

export type RunMetadata = Readonly<z.infer<typeof runMetadataSchema>>;

/** Drops unknown and undefined fields. */
export function toRunMetadata(known: PossiblyUndefined<RunMetadata>): Json {
  return runMetadataSchema.parse(
    Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
  );
}

/** Null for a session created by another program, with other metadata or none. */
export function parseRunMetadata(json: Json): RunMetadata | null {
  const read = runMetadataSchema.safeParse(json);
  return read.success ? read.data : null;
}

/** Model options as text: of the command line, and in the metadata of a session. */
export type ModelFlags = Partial<
  Pick<RunMetadata, 'model' | 'baseUrl' | 'summaryModel' | 'priceIn' | 'priceOut' | 'maxOutputTokens'>
>;

/** Options as text that override the configuration. */
export type ConfigFlags = Partial<
  Pick<RunMetadata, 'model' | 'baseUrl' | 'summaryModel' | 'profile' | 'mode' | 'autoCommit'>
>;

/** Converts options of the command line, or those stored with a session, to a configuration. */
export function flagsToConfig(flags: ConfigFlags): Config {
  const { model, baseUrl, summaryModel, profile, mode, autoCommit } = flags;
  return {
    ...(model !== undefined && { model }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(summaryModel !== undefined && { summaryModel }),
    ...(profile !== undefined && { profile }),
    ...(mode !== undefined && { permission: { mode: parsePermissionMode(mode) } }),
    ...(autoCommit === true && { hooks: { autoCommit } }),
  };
}

function parsePermissionMode(mode: string): (typeof permissionModes)[number] {
  const match = permissionModes.find((name) => name === mode);
  if (match !== undefined) return match;
  throw new AgentConfigError(formatUnknownName('mode', mode, permissionModes));
}

/** Merges model and prices: the given options override the configuration. */
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

/** Parses the options of a model. */
export function parseModelFlags({
  baseUrl,
  priceIn,
  priceOut,
  maxOutputTokens,
}: ModelFlags): NamedModelOptions {
  const input = priceIn === undefined ? null : parsePrice('--price-in', priceIn);
  const output = priceOut === undefined ? null : parsePrice('--price-out', priceOut);
  if ((input === null) !== (output === null)) {
    throw new AgentConfigError('Specify both --price-in and --price-out (price per 1M tokens), or neither.');
  }
  const tokens =
    maxOutputTokens === undefined ? null : parseTokenCount('--max-output-tokens', maxOutputTokens);
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(input !== null &&
      output !== null && { prices: { inputPerMillion: input, outputPerMillion: output } }),
    ...(tokens !== null && { maxOutputTokens: tokens }),
  };
}

function parsePrice(option: string, value: string): number {
  const number = parseNumber(value);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new AgentConfigError(
    `${option} must be a number of at least 0, such as 2.5, got ${JSON.stringify(value)}.`,
  );
}

function parseTokenCount(option: string, value: string): number {
  const number = parseNumber(value);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new AgentConfigError(`${option} must be a whole number of at least 1, got ${JSON.stringify(value)}.`);
}

function parseNumber(value: string): number {
  return value.trim() === '' ? Number.NaN : Number(value);
}

/** The fields of an agent configuration that come from the options of a run and from configuration files. */
export function toAgentConfig(flags: ModelFlags, config: Config): AgentModelConfig & AgentToolConfig {
  const { model, summaryModel } = flags;
  return {
    model,
    modelOptions: parseModelFlags(flags),
    summaryModel,
    prices: config.prices,
    permissions: config.permission,
    hooks: config.hooks,
    mcpServers: config.mcpServers,
    testCommand: config.testCommand,
    toolLimits: config.toolLimits,
    projectInstructions: config.projectInstructions,
  };
}

const budgetLimitNames = [
  'modelCalls',
  'toolCalls',
  'tokens',
  'cost',
  'wallMs',
] as const satisfies readonly (keyof BudgetLimits)[];

/** Fills limits that are not set from the given defaults; null if no limit is set. */
export function fillMissingBudgets(
  limits: Partial<BudgetLimits> | null | undefined,
  defaults: Partial<BudgetLimits> | null | undefined,
): BudgetLimits | null {
  const entries = budgetLimitNames.map((name) => [name, limits?.[name] ?? defaults?.[name] ?? null]);
  if (entries.every(([, limit]) => limit === null)) return null;
  return Object.fromEntries(entries) as BudgetLimits;
}

/** A field of an agent's configuration has no usable value. The one-line message gives the problem and the fix. */
export class AgentConfigError extends Error {
  override readonly name = 'AgentConfigError';
}

/** The models of an agent. */
export type AgentModelConfig = {
  /**
   * A model, or the spec of one as in `createModelFromSpec`. The default is `librarian`, which works offline and only
   * reads.
   */
  readonly model?: Model | string | undefined;
  /** Options for a model that is given by its spec: base URL, prices, maximum output. */
  readonly modelOptions?: NamedModelOptions | undefined;
  /** Model used for context compaction: a model, a spec, or `same`. If omitted, no model writes summaries. */
  readonly summaryModel?: Model | string | undefined;
  /** Prices of summary models, by model spec. */
  readonly prices?: Config['prices'] | undefined;
};
