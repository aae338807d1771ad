import { builtInProfiles, findProfile } from '@pawl/core/profiles';
import { createTracker } from '@pawl/governor/tracker';
import * as z from 'zod';
import { findUrlProblem, isServerName, serverNameChars } from '../mcp/mcp-server.ts';
import { permissionModes } from '../permission/modes.ts';
import { formatUnknownName } from '../text/nearest-name.ts';
import { toPrintableLine } from '../text/one-line.ts';
import { findStoreProblem, isDataFilePath } from './config.ts';
import { parsePermissionRule } from '../permission/rule.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

const dayMs = 86_400_000;

const lineSchema = z.string().min(1).max(2_000);
const durationSchema = z.int().min(1).max(dayMs);
const stringRecordSchema = z.record(z.string().max(200), z.string().max(20_000));

const storeSchema = lineSchema.superRefine((location, context) => {
  const problem = findStoreProblem(location);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

/** A value that could be a file is resolved later: other settings do not depend on it. */
const profileSchema = lineSchema.superRefine((profile, context) => {
  if (isDataFilePath(profile) || findProfile(profile) !== undefined) return;
  const names = builtInProfiles.map(({ name }) => name);
  const message = `${formatUnknownName('profile', toPrintableLine(profile, 60), names)} Or name a .json or .yaml file.`;
  context.addIssue({ code: 'custom', message });
});

const ruleSchema = z
  .string()
  .max(20_000)
  .superRefine((text, context) => {
    const parsed = parsePermissionRule(text);
    if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.problem });
  })
  .meta({ description: 'A rule such as "allow shell(git log **)", "ask write" or "deny *(secrets/**)".' });

const permissionSchema = z.strictObject({
  mode: z
    .enum(permissionModes)
    .exactOptional()
    .meta({ description: 'Default for calls that match no rule.' }),
  rules: z.array(ruleSchema).max(1_000).exactOptional(),
});

const mcpServerSchema = z
  .strictObject({
    command: lineSchema.exactOptional().meta({ description: 'Program that starts the server.' }),
    args: z.array(z.string().max(20_000)).max(100).exactOptional(),
    env: stringRecordSchema.exactOptional().meta({
      description: 'Environment variables of the server. ${NAME} expands to a variable of your environment.',
    }),
    cwd: lineSchema.exactOptional().meta({ description: 'Working directory, relative to this file.' }),
    url: lineSchema.exactOptional().meta({ description: 'URL of a server that uses streamable HTTP.' }),
    headers: stringRecordSchema
      .exactOptional()
      .meta({ description: '${NAME} expands to a variable of your environment.' }),
    startMs: durationSchema.exactOptional(),
    callMs: durationSchema.exactOptional(),
  })
  .superRefine((server, context) => {
    const problem = findServerProblem(server);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

type UncheckedServer = {
  readonly command?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: object | undefined;
  readonly args?: object | undefined;
  readonly env?: object | undefined;
  readonly cwd?: string | undefined;
};

function findServerProblem({ command, url, headers, args, env, cwd }: UncheckedServer): string | null {
  if ((command === undefined) === (url === undefined)) return 'needs either a command or a url, not both';
  if (command !== undefined && headers !== undefined)
    return 'has headers, which apply only to servers with a url. Use env instead';
  if (url !== undefined && [args, env, cwd].some((each) => each !== undefined))
    return 'has args, env or cwd, which apply only to servers with a command. Use headers instead';
  return url === undefined ? null : findUrlProblem(url);
}

const mcpServersSchema = z.record(
  z.string().refine(isServerName, {
    error: `must be up to ${serverNameChars} letters and digits, with single - or _ between them`,
  }),
  mcpServerSchema,
);

const hookCommandShape = {
  command: z.tuple([lineSchema], z.string().max(20_000), { error: explainCommand }).meta({
    description: 'A program and its arguments. It receives the event as JSON on standard input.',
  }),
  timeoutMs: durationSchema.exactOptional(),
};

function explainCommand({ code }: z.core.$ZodRawIssue): string | undefined {
  return code === 'invalid_type' ? 'expected a list: a program and its arguments' : undefined;
}

const toolHooksSchema = z
  .array(z.strictObject({ ...hookCommandShape, tools: z.array(lineSchema).max(1_000).exactOptional() }))
  .max(100);

const hooksSchema = z.strictObject({
  beforeTool: toolHooksSchema.exactOptional(),
  afterTools: toolHooksSchema.exactOptional(),
  finish: z.array(z.strictObject(hookCommandShape)).max(100).exactOptional(),
  autoCommit: z
    .union(
      [
        z.boolean(),
        z.strictObject({ runsHooks: z.boolean().exactOptional(), timeoutMs: durationSchema.exactOptional() }),
      ],
      { error: 'expected true, false, or an object with runsHooks and timeoutMs' },
    )
    .exactOptional()
    .meta({ description: 'Commits each step to git.' }),
});

const countSchema = z.int().min(1).max(1e12).exactOptional();

const budgetsSchema = z.strictObject({
  modelCalls: countSchema,
  toolCalls: countSchema,
  tokens: countSchema,
  cost: z.number().positive().exactOptional().meta({ description: 'In the currency of the prices.' }),
  wallMs: z
    .int()
    .min(1)
    .max(30 * dayMs)
    .exactOptional(),
});

const priceSchema = z.number().min(0).max(1e9);
const pricesSchema = z.strictObject({
  inputPerMillion: priceSchema,
  outputPerMillion: priceSchema,
  cachedInputPerMillion: priceSchema.exactOptional(),
});

const toolLimitsSchema = z.strictObject({
  timeoutMs: durationSchema
    .nullable()
    .exactOptional()
    .meta({ description: 'Timeout of one call; null for no timeout.' }),
  outputCharsMax: z.int().min(100).max(10_000_000).exactOptional(),
});

const telemetrySchema = z.strictObject({
  otlp: lineSchema
    .superRefine((url, context) => {
      const problem = findUrlProblem(url);
      if (problem !== null) context.addIssue({ code: 'custom', message: problem });
    })
    .exactOptional()
    .meta({ description: 'URL of an OTLP/HTTP collector, without /v1/traces.' }),
  headers: stringRecordSchema.exactOptional().meta({
    description: 'Headers sent to the collector. ${NAME} expands to a variable of your environment.',
  }),
  traces: z.boolean().exactOptional(),
  metrics: z.boolean().exactOptional(),
  serviceName: lineSchema.exactOptional().meta({ description: 'Service name; "pawl" by default.' }),
  captureContent: z.boolean().exactOptional().meta({
    description: 'Include prompts, replies, tool arguments and tool results, with secrets masked.',
  }),
  disabled: z.boolean().exactOptional(),
});

const thresholdSchema = z.int().min(1).max(10_000).exactOptional();

const stateMachineSchema = z
  .strictObject({
    enable: z.boolean().exactOptional(),
    stuck_threshold: thresholdSchema,
    oscillation_window: thresholdSchema,
    progress_check_interval: thresholdSchema,
    max_recent_actions: thresholdSchema,
    max_recent_errors: thresholdSchema,
  })
  .superRefine((config, context) => {
    const problem = findTrackerProblem(config);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

/** Some values depend on each other; the tracker itself validates them. */
function findTrackerProblem(config: object): string | null {
  try {
    createTracker({ preset: 'nexora', sessionId: 'check', now: () => 0, config });
    return null;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}

const agentSchema = z.strictObject({
  max_retries: z.int().min(1).max(1_000).exactOptional(),
  state_machine: stateMachineSchema.exactOptional(),
});

/** Schema of a configuration file. */
export const configSchema = z.strictObject({
  $schema: z.string().exactOptional(),
  model: lineSchema
    .exactOptional()
    .meta({ description: 'Such as "anthropic:MODEL", "ollama:MODEL" or "librarian".' }),
  baseUrl: lineSchema
    .exactOptional()
    .meta({ description: 'Base URL of the model. Requires "model" in the same file.' }),
  summaryModel: lineSchema.exactOptional().meta({
    description:
      'Model used for context compaction: named as in "model", or "same". No summaries by default.',
  }),
  profile: profileSchema
    .exactOptional()
    .meta({ description: 'Name of a profile, or path of a profile file relative to this file.' }),
  permission: permissionSchema.exactOptional(),
  mcpServers: mcpServersSchema.exactOptional(),
  hooks: hooksSchema.exactOptional(),
  budgets: budgetsSchema.exactOptional(),
  prices: z
    .record(lineSchema, pricesSchema)
    .exactOptional()
    .meta({ description: 'Prices by model, named as in "model".' }),
  store: storeSchema.exactOptional().meta({
    description:
      'Where sessions are stored: `user`, `workspace` (`.pawl` in the folder), `none`, a database file, or `redis://host:6379`.',
  }),
  testCommand: lineSchema.exactOptional().meta({ description: 'Command line that runs the tests.' }),
  agent: agentSchema.exactOptional().meta({
    description:
      'Keys in the spelling of other agent systems: `max_retries`, and `state_machine` for the nexora governor.',
  }),
  toolLimits: z
    .record(lineSchema, toolLimitsSchema)
    .exactOptional()
    .meta({ description: 'Limits by tool name.' }),
  projectInstructions: z.boolean().exactOptional().meta({
    description: 'Whether the AGENTS.md files of the project are part of the prompt; true by default.',
  }),
  telemetry: telemetrySchema.exactOptional().meta({
    description: 'Where to send traces and metrics. Read only from the user configuration.',
  }),
});

export type ConfigDocument = z.infer<typeof configSchema>;

/** Builds the JSON Schema (draft 2020-12) of a configuration file. */
export function buildConfigJsonSchema(): JsonSchema {
  // The output of zod is plain JSON.
  const schema = z.toJSONSchema(configSchema) as JsonSchema;
  return { ...schema, title: 'Pawl configuration' };
}
