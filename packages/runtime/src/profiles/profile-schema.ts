import type { BudgetLimits, SessionSettings } from '@pawl/core';
import {
  logPrefixPattern,
  logPrefixRequirement,
  memoryActionTypes,
  type MemorySettings,
} from '@pawl/core/memory';
import { builtInProfiles, type Profile } from '@pawl/core/profiles';
import type { GovernorSettings } from '@pawl/governor';
import { dayMilliseconds } from '@pawl/governor/json';
import { pawlRuleIds } from '@pawl/governor/rules';
import * as z from 'zod';
import { chartSchema, nameSchema, uniqueNamesSchema } from '../charts/chart-schema.ts';
import { anyJsonSchema } from '../schema/json-value.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

/** The schemas of all keys of a type. */
type SchemasByKey<Type> = { readonly [Key in keyof Required<Type>]: z.ZodType };

const waitSchema = z
  .int()
  .min(0)
  .max(30 * dayMilliseconds)
  .exactOptional();
const retryCountSchema = z.int().min(0).max(1_000).exactOptional();
const flagSchema = z.boolean().exactOptional();
const countSchema = z.int().min(1).max(1e12).nullable().exactOptional();

const budgetsSchema = z.strictObject({
  modelCalls: countSchema,
  toolCalls: countSchema,
  tokens: countSchema,
  cost: z
    .number()
    .positive({ error: 'expected a number above 0' })
    .nullable()
    .exactOptional()
    .meta({ description: 'In the currency of the prices.' }),
  wallMs: z
    .int()
    .min(1)
    .max(30 * dayMilliseconds)
    .nullable()
    .exactOptional(),
} satisfies SchemasByKey<BudgetLimits>);

const thresholdSchema = z.int().min(1).max(1_000_000).nullable().exactOptional();

const ruleChangeSchema = z
  .union(
    [
      z.literal(false),
      z.strictObject({
        advise: thresholdSchema,
        block: thresholdSchema,
        ask: thresholdSchema,
        stop: thresholdSchema,
      }),
    ],
    { error: 'expected false, or an object with advise, block, ask and stop' },
  )
  .meta({ id: 'RuleChange' })
  .exactOptional();

const recoverySchema = z.strictObject({
  id: nameSchema,
  pattern: z
    .string()
    .min(1)
    .max(1_000)
    .superRefine((source, context) => {
      const problem = findPatternProblem(source);
      if (problem !== null) context.addIssue({ code: 'custom', message: problem });
    })
    .meta({ description: 'A case-insensitive regular expression that matches the error text.' }),
  advice: z.string().min(1).max(2_000),
  remedy: z.discriminatedUnion('do', [
    z.strictObject({
      do: z.literal('run'),
      tool: nameSchema,
      args: z.record(z.string().max(200), z.string().max(20_000)),
    }),
    z.strictObject({ do: z.literal('wait'), ms: z.int().min(1).max(dayMilliseconds) }),
    z.strictObject({ do: z.literal('ask') }),
    z.strictObject({ do: z.literal('block') }),
  ]),
});

/** An invalid pattern would silently match nothing. */
function findPatternProblem(source: string): string | null {
  try {
    new RegExp(source, 'i').test('');
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const governorSchema = z.strictObject({
  preset: z.enum(['pawl', 'none', 'nexora', 'nexora-lenient', 'savant']).exactOptional(),
  config: z
    .record(z.string().max(200), anyJsonSchema)
    .exactOptional()
    .meta({ description: 'Configuration of the presets nexora and savant.' }),
  rules: z
    .strictObject(Object.fromEntries(pawlRuleIds.map((id) => [id, ruleChangeSchema])))
    .exactOptional()
    .meta({ description: 'Other thresholds for a rule of the preset pawl, or false to disable it.' }),
  recoveries: z.array(recoverySchema).max(100).exactOptional(),
  attended: flagSchema.meta({ description: 'Whether a person can be asked.' }),
} satisfies SchemasByKey<GovernorSettings>);

const tokenLimitSchema = z.strictObject({
  enable: flagSchema,
  maxTokens: z.int().min(1).max(1e9).exactOptional(),
});

const logSettingsSchema = z
  .strictObject({
    enable: flagSchema,
    maxEntries: z.int().min(1).max(999).exactOptional(),
    keyPrefix: z
      .string()
      .regex(logPrefixPattern, { error: `expected ${logPrefixRequirement}` })
      .exactOptional(),
  })
  .exactOptional();

const memorySchema = z.strictObject({
  pagingLimit: tokenLimitSchema.exactOptional(),
  hardLimit: tokenLimitSchema.exactOptional(),
  logs: z
    .strictObject({ think: logSettingsSchema, evaluation: logSettingsSchema, command: logSettingsSchema })
    .exactOptional(),
  actions: z.array(z.enum(memoryActionTypes)).max(memoryActionTypes.length).exactOptional(),
  keepSearchResults: flagSchema,
} satisfies SchemasByKey<MemorySettings>);

/** The schema of a profile as users write it. `parseProfile` also resolves names and checks what depends on them. */
export const profileSchema = z.strictObject({
  $schema: z.string().exactOptional(),
  name: nameSchema.meta({ description: 'Not the name of a built-in profile.' }),
  description: z.string().max(500).exactOptional(),
  extends: z
    .enum(builtInProfiles.map(({ name }) => name))
    .exactOptional()
    .meta({ description: 'The built-in profile that omitted settings come from.' }),
  protocol: z
    .enum(['native', 'json', 'xml'])
    .exactOptional()
    .meta({ description: 'How the model requests tool calls.' }),
  terminal: z
    .array(z.enum(['halted', 'shuttingDown']))
    .max(2)
    .exactOptional()
    .meta({
      description: 'States that only a shutdown leaves.',
    }),
  maxRetries: retryCountSchema,
  retryBaseMs: waitSchema,
  retryMaxMs: waitSchema,
  retryAfterMaxMs: waitSchema,
  mutatingTools: uniqueNamesSchema
    .exactOptional()
    .meta({ description: 'Hooks run when one of these tools has succeeded.' }),
  progressCheck: flagSchema,
  pageOnOverflow: flagSchema,
  compact: flagSchema,
  windowTokens: z
    .int()
    .min(1_000)
    .max(1e9)
    .nullable()
    .exactOptional()
    .meta({ description: 'Size of the context window of the model.' }),
  maxRecoveries: retryCountSchema,
  haltOnFailedPhase: flagSchema,
  continueAfterStop: flagSchema,
  governor: governorSchema.exactOptional(),
  chart: z
    .union([z.string(), chartSchema], { error: 'expected the name of a chart, a file, or a chart' })
    .nullable()
    .exactOptional()
    .meta({ description: 'A built-in chart, the path of a chart file, or a chart.' }),
  memory: z
    .union([z.string(), memorySchema], { error: 'expected the name of memory settings, or an object' })
    .nullable()
    .exactOptional()
    .meta({ description: 'Built-in memory settings, or changes to the earlier ones.' }),
  finishMs: z
    .int()
    .min(0)
    .max(30 * dayMilliseconds)
    .nullable()
    .exactOptional()
    .meta({ description: 'Time limit for the last answer.' }),
  budgets: budgetsSchema.nullable().exactOptional(),
  onInvalidEvent: z.enum(['ignore', 'refuse', 'reset']).exactOptional(),
} satisfies SchemasByKey<SessionSettings & Omit<Profile, 'settings'>> & {
  readonly $schema: z.ZodType;
  readonly extends: z.ZodType;
});

export type ProfileDocument = z.infer<typeof profileSchema>;
export type GovernorDocument = z.infer<typeof governorSchema>;
export type MemoryDocument = z.infer<typeof memorySchema>;

/** Builds the JSON Schema (draft 2020-12) of a profile file. */
export function buildProfileJsonSchema(): JsonSchema {
  // The output of zod is plain JSON.
  const schema = z.toJSONSchema(profileSchema, { unrepresentable: 'any' }) as JsonSchema;
  return { ...schema, title: 'Pawl profile' };
}
