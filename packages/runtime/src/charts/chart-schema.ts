import {
  ChartError,
  defineChart,
  isModeName,
  modeNameRequirement,
  type ModeChart,
  type ModeChartInput,
  type ModeStateInput,
} from '@pawl/core/modes';
import { upgradeChart } from '@pawl/core/upgrade';
import { dayMilliseconds, isPlainObject } from '@pawl/governor/json';
import * as z from 'zod';
import { validateDocument } from '../data-files/validate-document.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

/** The name of a mode, a tool or a profile. */
export const nameSchema = z.string().refine(isModeName, { error: `expected ${modeNameRequirement}` });

export const uniqueNamesSchema = z
  .array(nameSchema)
  .max(1_000)
  .refine((names) => new Set(names).size === names.length, { error: 'expected a list of unique names' })
  .meta({ uniqueItems: true });

const promptSchema = z.string().max(20_000);
const limitSchema = z.int().min(1).max(1_000_000).nullable();

const stateSchema = z.strictObject({
  name: nameSchema,
  aliases: uniqueNamesSchema.exactOptional().meta({ description: 'Other names that the model may use.' }),
  tools: z
    .union([z.literal('*'), uniqueNamesSchema], {
      error: 'expected a list of tool names, or "*" for any tool',
    })
    .exactOptional()
    .meta({ description: 'The allowed tools; "*" is any.' }),
  next: uniqueNamesSchema.exactOptional().meta({ description: 'The modes that may follow.' }),
  afterText: nameSchema
    .nullable()
    .exactOptional()
    .meta({ description: 'The mode after a reply without calls; null to stay.' }),
  stuckState: nameSchema
    .nullable()
    .exactOptional()
    .meta({ description: 'The mode to enter when the work is stuck.' }),
  timeoutMs: z
    .int()
    .min(1)
    .max(30 * dayMilliseconds)
    .nullable()
    .exactOptional(),
  stuckAfterSteps: limitSchema.exactOptional().meta({ description: 'Maximum number of ticks in this mode.' }),
  stuckAfterFailures: limitSchema
    .exactOptional()
    .meta({ description: 'Maximum number of consecutive failures.' }),
  selectable: z
    .boolean()
    .nullable()
    .exactOptional()
    .meta({ description: 'Whether the model may choose this mode.' }),
  terminal: z.boolean().exactOptional(),
  prompt: promptSchema.exactOptional().meta({ description: 'Prompt text for this mode.' }),
} satisfies { readonly [Key in keyof Required<ModeStateInput<string>>]: z.ZodType });

/** The schema of a chart as users write it. `parseChart` also checks that the chart is consistent. */
export const chartSchema = z.strictObject({
  $schema: z.string().exactOptional(),
  name: nameSchema,
  initial: nameSchema.meta({ description: 'The first mode.' }),
  states: z.array(stateSchema).min(1).max(100),
  transitions: z
    .discriminatedUnion('by', [
      z.strictObject({ by: z.literal('tool') }),
      z.strictObject({
        by: z.literal('reply'),
        otherwise: nameSchema,
        afterAction: nameSchema,
        afterFailure: nameSchema,
      }),
    ])
    .exactOptional()
    .meta({ description: 'What decides the next mode: the tool or the reply.' }),
  onInvalid: z
    .union([z.enum(['refuse', 'ignore']), z.strictObject({ resetTo: nameSchema })], {
      error: 'expected "refuse", "ignore" or { resetTo: … }',
    })
    .exactOptional()
    .meta({ description: 'What happens on an invalid transition.' }),
  finish: z
    .strictObject({ tools: uniqueNamesSchema.min(1), state: nameSchema })
    .nullable()
    .exactOptional()
    .meta({ description: 'The tools that signal completion, and the mode that they lead to.' }),
  paging: z
    .strictObject({ state: nameSchema, next: nameSchema })
    .nullable()
    .exactOptional()
    .meta({ description: 'The paging mode, and the mode after it.' }),
  oneAction: z
    .boolean()
    .exactOptional()
    .meta({ description: 'Whether a reply with more than one call is rejected as a whole.' }),
  maxIterations: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .nullable()
    .exactOptional()
    .meta({ description: 'Maximum number of ticks.' }),
  prompt: promptSchema.exactOptional().meta({ description: 'Prompt text for every mode.' }),
} satisfies { readonly [Key in keyof Required<ModeChartInput<string>>]: z.ZodType } & {
  readonly $schema: z.ZodType;
});

/** Parses a chart from untrusted input. Throws one `ChartError` that says what is wrong and where. */
export function parseChart(value: unknown): ModeChart {
  const parsed = validateDocument(chartSchema, isPlainObject(value) ? upgradeChart(value) : value);
  if (!parsed.ok) throw new ChartError(parsed.path, `${parsed.problem}.`);
  return defineChart<string>(parsed.value);
}

/** Builds the JSON Schema (draft 2020-12) of a chart file. */
export function buildChartJsonSchema(): JsonSchema {
  // The output of zod is plain JSON.
  return { ...(z.toJSONSchema(chartSchema) as JsonSchema), title: 'Pawl mode chart' };
}
