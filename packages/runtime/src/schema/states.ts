import type { TurnState } from '@pawl/core';
import * as z from 'zod';
import { anyJsonSchema } from './json-value.ts';
import { createListSchema } from './list.ts';
import { modelErrorSchema } from './parts.ts';
import type { PrintedState } from './printed.ts';
import type { ExactSchema } from './exact-schema.ts';
import { haltReasonSchema, verdictSchema } from './verdict.ts';
import {
  agendaSchema,
  askSchema,
  executionSchema,
  hookWorkSchema,
  pagingWorkSchema,
  permissionCallSchema,
} from './work.ts';

const stateRequestSchema = z.int().describe('Number of the current request.');
const retriesSchema = z.int().describe('Number of consecutive failures.');
const retryAtSchema = z.number().describe('Time of the next attempt, in milliseconds since the Unix epoch.');

const phaseWorkShape = {
  files: z
    .array(z.string())
    .describe('Paths of changed files, without duplicates; only the latest if there are many.'),
  filesChanged: z.number().describe('Number of changed files.'),
  testsPassed: z.number().describe('Number of passed tests, over all runs.'),
  testsFailed: z.number().describe('Number of failed tests, over all runs.'),
  blockers: z.array(z.string()).describe('The blockers.'),
};
const phaseShape = {
  number: z.number().describe('Number of the phase.'),
  description: z.string().describe('Description of the phase.'),
  startedAt: z.number().describe('Start time.'),
  expectedMs: z.number().nullable().describe('Expected duration.'),
  ...phaseWorkShape,
};
const completedPhaseShape = {
  ...phaseShape,
  endedAt: z.number().describe('End time.'),
  success: z.boolean().describe('Whether the phase achieved its goal.'),
  summary: z.string().nullable().describe('Summary given at completion, if any.'),
};

const phasesSchema = z
  .strictObject({
    total: z.number().nullable().describe('Planned number of phases, if known.'),
    current: z.strictObject(phaseShape).nullable().describe('The current phase.'),
    completed: z.array(z.strictObject(completedPhaseShape)).describe('The completed phases.'),
    outside: z.strictObject(phaseWorkShape).describe('The work done outside of any phase.'),
  })
  .meta({ id: 'Phases', description: 'The phases of a long task.' });

const modeMoveSchema = z
  .strictObject({
    at: z.number().describe('Time of the change.'),
    from: z.string().describe('The previous mode.'),
    to: z.string().describe('The new mode.'),
    cause: z.string().describe('The cause of the change.'),
    durationMs: z.number().describe('Duration of the previous mode.'),
  })
  .meta({ id: 'ModeMove', description: 'A change of mode.' });

const modeSchema = z
  .strictObject({
    chart: z.string().describe('The mode chart.'),
    state: z.string().describe('The current mode.'),
    enteredAt: z.number().describe('Time it was entered.'),
    steps: z.number().describe('Number of replies since then.'),
    failures: z.number().describe('Number of consecutive failures since then.'),
    iterations: z.number().describe('Total number of replies.'),
    history: z.array(modeMoveSchema).describe('The latest mode changes, oldest first.'),
    refusal: z.string().nullable().describe('Why the latest mode change or call was rejected, if it was.'),
  })
  .meta({ id: 'Mode', description: 'The current mode of the agent.' });

const memorySchema = z
  .strictObject({
    tokens: z.number().describe('Size in tokens.'),
    entries: z.record(z.string(), anyJsonSchema).describe('The entries, by tags.'),
  })
  .meta({ id: 'WorkingMemory', description: 'The working memory of the agent.' });

/** Fields common to all states. */
const commonStateShape = {
  messages: z.int().describe('Number of messages in the conversation.'),
  phases: phasesSchema,
  mode: modeSchema.nullable().describe('The current mode, if the profile has modes.'),
  memory: memorySchema.nullable().describe('The working memory, if the profile has one.'),
  seq: z.int().describe('Number of durable events of the session.'),
};

const heldStateSchema = z
  .union(buildHeldStates({}))
  .meta({ id: 'HeldState', description: 'A state that can be paused.' });

const rawStateSchema = z
  .union([
    ...buildHeldStates(commonStateShape),
    createStateSchema('paused', {
      reason: z.string().describe('The reason, for a user.'),
      held: heldStateSchema,
      ...commonStateShape,
    }),
    createStateSchema('halted', { haltReason: haltReasonSchema, ...commonStateShape }),
    createStateSchema('shuttingDown', commonStateShape),
  ])
  .meta({ id: 'State', description: 'The state of the state machine and the data it needs to continue.' });

/** The state as returned by `printState`. */
export const stateSchema: ExactSchema<typeof rawStateSchema, PrintedState> = rawStateSchema;

/** The states that can be paused. They appear by themselves and inside `paused`, there without the common fields. */
function buildHeldStates<Rest extends z.ZodRawShape>(rest: Rest) {
  return [
    createStateSchema('waitingForUser', rest),
    createStateSchema('callingModel', {
      request: stateRequestSchema,
      retries: retriesSchema,
      streaming: z.boolean().describe('Whether text has started to arrive.'),
      ask: askSchema,
      ...rest,
    }),
    createStateSchema('awaitingPermission', {
      request: stateRequestSchema,
      calls: createListSchema(permissionCallSchema).describe('The calls of the reply.'),
      agenda: agendaSchema,
      ...rest,
    }),
    createStateSchema('executingTools', {
      request: stateRequestSchema,
      executions: createListSchema(executionSchema).describe('The calls of the reply.'),
      agenda: agendaSchema,
      ...rest,
    }),
    createStateSchema('postToolsHook', {
      request: stateRequestSchema,
      retries: retriesSchema,
      work: hookWorkSchema,
      ...rest,
    }),
    createStateSchema('paging', {
      request: stateRequestSchema,
      retries: retriesSchema,
      work: pagingWorkSchema,
      ...rest,
    }),
    createStateSchema('errorRecovery', {
      origin: z.literal('model').describe('The model failed.'),
      request: stateRequestSchema,
      retries: retriesSchema,
      retryAt: retryAtSchema,
      error: modelErrorSchema,
      ask: askSchema,
      ...rest,
    }),
    createStateSchema('errorRecovery', {
      origin: z.literal('tool').describe('A verdict requested a recovery.'),
      request: stateRequestSchema,
      attempt: z.int().describe('Number of the attempt, starting at 1.'),
      verdict: verdictSchema,
      agenda: agendaSchema,
      ...rest,
    }),
    createStateSchema('errorRecovery', {
      origin: z.literal('io').describe('Hooks or paging failed.'),
      request: stateRequestSchema,
      retries: retriesSchema,
      retryAt: retryAtSchema,
      message: z.string().describe('The error message.'),
      work: z
        .discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('hooks').describe('Hooks failed.'), hooks: hookWorkSchema }),
          z.strictObject({ kind: z.literal('paging').describe('Paging failed.'), paging: pagingWorkSchema }),
        ])
        .describe('The work to retry.'),
      ...rest,
    }),
  ] as const;
}

function createStateSchema<Name extends TurnState['status'], Fields extends z.ZodRawShape>(
  name: Name,
  fields: Fields,
): z.ZodObject<{ status: z.ZodLiteral<Name>; since: z.ZodNumber } & Fields, z.core.$strict> {
  const since = z.number().describe('Time the state was entered, in milliseconds since the Unix epoch.');
  return z.strictObject({ status: z.literal(name).describe('The name of the state.'), since, ...fields });
}
