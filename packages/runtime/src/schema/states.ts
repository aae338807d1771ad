import type { TurnState } from '@pawl/core';
import * as z from 'zod';
import { anyJsonSchema } from './json-value.ts';
import {
  createListSchema,
  modelErrorSchema,
  toolCallSchema,
  completedToolSchema,
  outcomeSchema,
} from './parts.ts';
import type { PrintedState } from './printed.ts';
import type { ExactSchema } from './exact-schema.ts';
import { haltReasonSchema, verdictSchema } from './verdict.ts';

/* What a state stores about the work it waits for. */

const finishSchema = z
  .strictObject({
    reason: z.string().describe('The reason, which the model receives.'),
    ends: z.enum(['turn', 'session']).describe('What ends after the answer.'),
    rule: z.string().nullable().describe('The rule of the verdict that caused it, if any.'),
    deadline: z.number().nullable().describe('Deadline of the answer, once it was requested.'),
  })
  .meta({ id: 'Finish', description: 'A final model call without tools.' });

const agendaSchema = z
  .strictObject({
    phaseChanges: z.int().describe('Number of phase changes not processed yet.'),
    failedPhase: z.number().nullable().describe('The number of the failed phase, if any.'),
    verdict: verdictSchema.nullable().describe('The most severe verdict, if any.'),
    finish: finishSchema.nullable().describe('The request to finish, if any.'),
    steering: z
      .exactOptional(z.array(z.string()))
      .describe('Steering messages from users; absent if there are none.'),
  })
  .meta({ id: 'Agenda', description: 'Requests that arrived during the work, for the next progress check.' });

const askSchema = z
  .strictObject({
    advice: z.string().nullable().describe('Advice appended to the prompt.'),
    finish: finishSchema.nullable().describe('The request to finish, if this is the final call.'),
    agenda: agendaSchema,
  })
  .meta({ id: 'Ask', description: 'The context of a model call.' });

const hookWorkSchema = z
  .strictObject({
    completed: createListSchema(completedToolSchema).describe('The completed tool calls and their results.'),
    next: z.enum(['ask-model', 'end-turn']).describe('The step after the hooks.'),
    agenda: agendaSchema,
  })
  .meta({ id: 'HookWork', description: 'The context of a hook run.' });

const pagingWorkSchema = z
  .strictObject({
    reason: z.string().describe('Why space is needed.'),
    asking: z
      .boolean()
      .describe(
        'Whether a model call exceeded the context window and is repeated; false if a user requested it.',
      ),
    ask: askSchema,
    modelRetries: z.int().describe('Number of failures of that call.'),
  })
  .meta({ id: 'PagingWork', description: 'The context of a compaction.' });

const executionSchema = z
  .discriminatedUnion('status', [
    z.strictObject({ status: z.literal('pending').describe('Not started.'), call: toolCallSchema }),
    z.strictObject({
      status: z.literal('running').describe('In progress.'),
      call: toolCallSchema,
      startedAt: z.number().nullable().describe('Start time, if known.'),
      progress: z.string().nullable().describe('The last reported progress.'),
      intent: z.exactOptional(anyJsonSchema).describe('The effect it declared before it started.'),
    }),
    z.strictObject({
      status: z.literal('completed').describe('Completed.'),
      call: toolCallSchema,
      outcome: outcomeSchema,
    }),
  ])
  .meta({ id: 'Execution', description: 'The execution of a tool call.' });

const permissionCallSchema = z
  .union([
    z.strictObject({
      decision: z.enum(['pending', 'allowed']).describe('Whether it may run.'),
      call: toolCallSchema,
    }),
    z.strictObject({
      decision: z.literal('denied').describe('Denied.'),
      call: toolCallSchema,
      outcome: outcomeSchema,
    }),
  ])
  .meta({ id: 'PermissionCall', description: 'A tool call and its permission decision.' });

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
