import { createTracker } from '@pawl/core';
import * as z from 'zod';
import { urlProblem } from '../mcp/server-url.ts';
import { isServerName, serverNameChars } from '../mcp/tool-name.ts';
import { permissionModes } from '../permission/modes.ts';
import { parseRule } from '../permission/rule.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

const dayMs = 86_400_000;

const line = z.string().min(1).max(2_000);
const milliseconds = z.int().min(1).max(dayMs);
const texts = z.record(z.string().max(200), z.string().max(20_000));

const rule = z
  .string()
  .max(20_000)
  .superRefine((text, context) => {
    const parsed = parseRule(text);
    if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.problem });
  })
  .meta({ description: 'A rule such as "allow shell(git log **)", "ask write" or "deny *(secrets/**)".' });

const permission = z.strictObject({
  mode: z
    .enum(permissionModes)
    .exactOptional()
    .meta({ description: 'What happens to calls that no rule is about.' }),
  rules: z.array(rule).max(1_000).exactOptional(),
});

const mcpServer = z
  .strictObject({
    command: line.exactOptional().meta({ description: 'The program that starts the server.' }),
    args: z.array(z.string().max(20_000)).max(100).exactOptional(),
    env: texts
      .exactOptional()
      .meta({ description: 'Its environment. ${NAME} stands for a variable of yours.' }),
    cwd: line.exactOptional().meta({ description: 'Where it starts, from where this file is.' }),
    url: line.exactOptional().meta({ description: 'The address of a server that speaks streamable HTTP.' }),
    headers: texts
      .exactOptional()
      .meta({ description: '${NAME} stands for a variable of your environment.' }),
    startMs: milliseconds.exactOptional(),
    callMs: milliseconds.exactOptional(),
  })
  .superRefine((server, context) => {
    const problem = serverProblem(server);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

type GivenServer = {
  readonly command?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: object | undefined;
  readonly args?: object | undefined;
  readonly env?: object | undefined;
  readonly cwd?: string | undefined;
};

function serverProblem({ command, url, headers, args, env, cwd }: GivenServer): string | null {
  if ((command === undefined) === (url === undefined))
    return 'needs either a command that starts it or a url where it is, and not both';
  if (command !== undefined && headers !== undefined)
    return 'has headers, which are for servers with a url. Use env instead';
  if (url !== undefined && [args, env, cwd].some((each) => each !== undefined))
    return 'has args, env or cwd, which are for servers with a command. Use headers instead';
  return url === undefined ? null : urlProblem(url);
}

const mcpServers = z.record(
  z.string().refine(isServerName, {
    error: `is to be up to ${serverNameChars} letters and digits with single - or _ between them`,
  }),
  mcpServer,
);

const hookCommand = {
  command: z.tuple([line], z.string().max(20_000)).meta({
    description: 'A program and its arguments. It reads what happened as JSON from its standard input.',
  }),
  timeoutMs: milliseconds.exactOptional(),
};
const toolHooks = z
  .array(z.strictObject({ ...hookCommand, tools: z.array(line).max(1_000).exactOptional() }))
  .max(100);

const hooks = z.strictObject({
  beforeTool: toolHooks.exactOptional(),
  afterTools: toolHooks.exactOptional(),
  finish: z.array(z.strictObject(hookCommand)).max(100).exactOptional(),
  autoCommit: z
    .union([
      z.boolean(),
      z.strictObject({ runsHooks: z.boolean().exactOptional(), timeoutMs: milliseconds.exactOptional() }),
    ])
    .exactOptional()
    .meta({ description: 'Keeps each step of the work as one git commit.' }),
});

const count = z.int().min(1).max(1e12).exactOptional();

const budgets = z.strictObject({
  modelCalls: count,
  toolCalls: count,
  tokens: count,
  cost: z.number().positive().exactOptional().meta({ description: 'In the money that the prices are in.' }),
  wallMs: z
    .int()
    .min(1)
    .max(30 * dayMs)
    .exactOptional(),
});

const price = z.number().min(0).max(1e9);
const prices = z.strictObject({
  inputPerMillion: price,
  outputPerMillion: price,
  cachedInputPerMillion: price.exactOptional(),
});

const toolLimits = z.strictObject({
  timeoutMs: milliseconds
    .nullable()
    .exactOptional()
    .meta({ description: 'How long a call may take; null for as long as it takes.' }),
  outputCharsMax: z.int().min(100).max(10_000_000).exactOptional(),
});

const telemetry = z.strictObject({
  otlp: line
    .superRefine((url, context) => {
      const problem = urlProblem(url);
      if (problem !== null) context.addIssue({ code: 'custom', message: problem });
    })
    .exactOptional()
    .meta({ description: 'The address of a collector that takes OTLP over HTTP, without /v1/traces.' }),
  headers: texts
    .exactOptional()
    .meta({ description: 'What the collector is sent besides. ${NAME} stands for a variable of yours.' }),
  traces: z.boolean().exactOptional(),
  metrics: z.boolean().exactOptional(),
  serviceName: line.exactOptional().meta({ description: 'What this is called there; "pawl" if left out.' }),
  captureContent: z.boolean().exactOptional().meta({
    description: 'Send also what was said to models and tools and what they said, without secrets.',
  }),
  disabled: z.boolean().exactOptional(),
});

const enough = z.int().min(1).max(10_000).exactOptional();

const stateMachine = z
  .strictObject({
    enable: z.boolean().exactOptional(),
    stuck_threshold: enough,
    oscillation_window: enough,
    progress_check_interval: enough,
    max_recent_actions: enough,
    max_recent_errors: enough,
  })
  .superRefine((config, context) => {
    const problem = trackerProblem(config);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

/** Some numbers go together, and only the tracker knows which. */
function trackerProblem(config: object): string | null {
  try {
    createTracker({ preset: 'nexora', sessionId: 'check', now: () => 0, config });
    return null;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}

const agent = z.strictObject({
  max_retries: z.int().min(1).max(1_000).exactOptional(),
  state_machine: stateMachine.exactOptional(),
});

/** A file as people write it. */
export const configSchema = z.strictObject({
  $schema: z.string().exactOptional(),
  model: line
    .exactOptional()
    .meta({ description: 'Such as "anthropic:MODEL", "ollama:MODEL" or "librarian".' }),
  baseUrl: line.exactOptional().meta({ description: 'Where that model is reached. Only beside a model.' }),
  summaryModel: line.exactOptional().meta({
    description:
      'Which model writes a summary of what is moved to storage: named as in "model", or "same". None if left out.',
  }),
  profile: line
    .exactOptional()
    .meta({ description: 'The name of a profile, or its file from where this one is.' }),
  permission: permission.exactOptional(),
  mcpServers: mcpServers.exactOptional(),
  hooks: hooks.exactOptional(),
  budgets: budgets.exactOptional(),
  prices: z.record(line, prices).exactOptional().meta({ description: 'By model, named as in "model".' }),
  store: line.exactOptional().meta({
    description:
      'Where sessions are kept: `user`, `workspace` (`.pawl` in the folder), `none`, a database file, or `redis://host:6379`.',
  }),
  testCommand: line.exactOptional().meta({ description: 'The command line that runs the tests.' }),
  agent: agent.exactOptional().meta({
    description:
      'Keys as other systems write them: `max_retries`, and `state_machine` for the governor nexora.',
  }),
  toolLimits: z.record(line, toolLimits).exactOptional().meta({ description: 'By the name of the tool.' }),
  telemetry: telemetry.exactOptional().meta({
    description: 'Where to send traces and metrics. Only in the configuration of the user.',
  }),
});

export type WrittenConfig = z.infer<typeof configSchema>;

/** The JSON Schema (draft 2020-12) of a configuration file. */
export function configJsonSchema(): JsonSchema {
  // What zod prints is plain JSON.
  const schema = z.toJSONSchema(configSchema) as JsonSchema;
  return { ...schema, title: 'Pawl configuration' };
}
