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

const stateRequestSchema = z.int().describe('The number of the work under way.');
const retriesSchema = z.int().describe('How often it has failed in a row.');
const retryAtSchema = z.number().describe('When to try again, in milliseconds since 1970.');

const phaseWorkShape = {
  files: z.array(z.string()).describe('The paths of files changed, each once; the latest if there are many.'),
  filesChanged: z.number().describe('How many files were changed.'),
  testsPassed: z.number().describe('Tests that passed, over every run of them.'),
  testsFailed: z.number().describe('Tests that failed, over every run of them.'),
  blockers: z.array(z.string()).describe('What stood in the way.'),
};
const phaseShape = {
  number: z.number().describe('Which part it is.'),
  description: z.string().describe('What it is about.'),
  startedAt: z.number().describe('When it began.'),
  expectedMs: z.number().nullable().describe('How long it was expected to take.'),
  ...phaseWorkShape,
};
const completedPhaseShape = {
  ...phaseShape,
  endedAt: z.number().describe('When it ended.'),
  success: z.boolean().describe('Whether it reached its aim.'),
  summary: z.string().nullable().describe('What was said of it when it ended, if anything.'),
};

const phasesSchema = z
  .strictObject({
    total: z.number().nullable().describe('How many there will be, if that is known.'),
    current: z.strictObject(phaseShape).nullable().describe('The one under way.'),
    completed: z.array(z.strictObject(completedPhaseShape)).describe('Those that have ended.'),
    outside: z.strictObject(phaseWorkShape).describe('What was done while none was under way.'),
  })
  .meta({ id: 'Phases', description: 'The parts of a long task.' });

const modeMoveSchema = z
  .strictObject({
    at: z.number().describe('When.'),
    from: z.string().describe('The mode left.'),
    to: z.string().describe('The mode entered.'),
    cause: z.string().describe('What brought it about.'),
    durationMs: z.number().describe('How long the mode left had lasted.'),
  })
  .meta({ id: 'ModeMove', description: 'A change of mode.' });

const modeSchema = z
  .strictObject({
    chart: z.string().describe('The chart it is a mode of.'),
    state: z.string().describe('The mode.'),
    enteredAt: z.number().describe('Since when.'),
    steps: z.number().describe('Replies since then.'),
    failures: z.number().describe('Failures in a row since then.'),
    iterations: z.number().describe('Replies altogether.'),
    history: z.array(modeMoveSchema).describe('The latest moves, oldest first.'),
    refusal: z.string().nullable().describe('Why the latest move or call was refused, if it was.'),
  })
  .meta({ id: 'Mode', description: 'What kind of step the agent is taking.' });

const memorySchema = z
  .strictObject({
    tokens: z.number().describe('How large it is.'),
    entries: z.record(z.string(), anyJsonSchema).describe('What it holds, by tags.'),
  })
  .meta({ id: 'WorkingMemory', description: 'What the agent holds in mind.' });

/** Fields common to all states. */
const commonStateShape = {
  messages: z.int().describe('How many messages the conversation has.'),
  phases: phasesSchema,
  mode: modeSchema.nullable().describe('The mode, where the profile has any.'),
  memory: memorySchema.nullable().describe('Working memory, where the profile has one.'),
  seq: z.int().describe('How many durable events the session has seen.'),
};

const heldStateSchema = z
  .union(buildHeldStates({}))
  .meta({ id: 'HeldState', description: 'A state that can be paused.' });

const rawStateSchema = z
  .union([
    ...buildHeldStates(commonStateShape),
    createStateSchema('paused', {
      reason: z.string().describe('Why, for a person to read.'),
      held: heldStateSchema,
      ...commonStateShape,
    }),
    createStateSchema('halted', { why: haltReasonSchema, ...commonStateShape }),
    createStateSchema('shuttingDown', commonStateShape),
  ])
  .meta({ id: 'State', description: 'What the machine waits for, and what it needs to go on.' });

/** The state as returned by `printState`. */
export const stateSchema: ExactSchema<typeof rawStateSchema, PrintedState> = rawStateSchema;

/** The states that can be paused. They appear by themselves and inside `paused`, there without the common fields. */
function buildHeldStates<Rest extends z.ZodRawShape>(rest: Rest) {
  return [
    createStateSchema('waitingForUser', rest),
    createStateSchema('callingModel', {
      request: stateRequestSchema,
      retries: retriesSchema,
      streaming: z.boolean().describe('Whether text has begun to arrive.'),
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
      origin: z.literal('tool').describe('A verdict asked for recovery.'),
      request: stateRequestSchema,
      attempt: z.int().describe('1 for the first try.'),
      verdict: verdictSchema,
      agenda: agendaSchema,
      ...rest,
    }),
    createStateSchema('errorRecovery', {
      origin: z.literal('io').describe('Hooks or paging failed.'),
      request: stateRequestSchema,
      retries: retriesSchema,
      retryAt: retryAtSchema,
      message: z.string().describe('What went wrong.'),
      work: z
        .discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('hooks').describe('Hooks failed.'), hooks: hookWorkSchema }),
          z.strictObject({ kind: z.literal('paging').describe('Paging failed.'), paging: pagingWorkSchema }),
        ])
        .describe('What is tried again.'),
      ...rest,
    }),
  ] as const;
}

function createStateSchema<Name extends TurnState['status'], Fields extends z.ZodRawShape>(
  name: Name,
  fields: Fields,
): z.ZodObject<{ status: z.ZodLiteral<Name>; since: z.ZodNumber } & Fields, z.core.$strict> {
  const since = z.number().describe('Since when, in milliseconds since 1970.');
  return z.strictObject({ status: z.literal(name).describe('The name of the state.'), since, ...fields });
}
