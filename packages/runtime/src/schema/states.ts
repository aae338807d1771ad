import type { Turn } from '@pawl/core';
import * as z from 'zod';
import { list } from './list.ts';
import { modelError } from './parts.ts';
import type { PrintedState } from './printed.ts';
import type { Exactly } from './same.ts';
import { haltReason, verdict } from './verdict.ts';
import { agenda, ask, execution, hookWork, pagingWork, permissionCall } from './work.ts';

const request = z.int().describe('The number of the work under way.');
const retries = z.int().describe('How often it has failed in a row.');
const retryAt = z.number().describe('When to try again, in milliseconds since 1970.');

const phase = {
  number: z.number().describe('Which part it is.'),
  description: z.string().describe('What it is about.'),
  startedAt: z.number().describe('When it began.'),
  expectedMs: z.number().nullable().describe('How long it was expected to take.'),
};
const completedPhase = {
  ...phase,
  endedAt: z.number().describe('When it ended.'),
  success: z.boolean().describe('Whether it reached its aim.'),
};

const phases = z
  .strictObject({
    total: z.number().nullable().describe('How many there will be, if that is known.'),
    current: z.strictObject(phase).nullable().describe('The one under way.'),
    completed: z.array(z.strictObject(completedPhase)).describe('Those that have ended.'),
  })
  .meta({ id: 'Phases', description: 'The parts of a long task.' });

/** What is printed once, whatever the state. */
const always = {
  messages: z.int().describe('How many messages the conversation has.'),
  phases,
  seq: z.int().describe('How many durable events the session has seen.'),
};

const held = z.union(heldStates({})).meta({ id: 'HeldState', description: 'A state that can be paused.' });

const schema = z
  .union([
    ...heldStates(always),
    inState('paused', { reason: z.string().describe('Why, for a person to read.'), held, ...always }),
    inState('halted', { why: haltReason, ...always }),
    inState('shuttingDown', always),
  ])
  .meta({ id: 'State', description: 'What the machine waits for, and what it needs to go on.' });

/** The state as `printState` gives it. */
export const stateSchema: Exactly<typeof schema, PrintedState> = schema;

/** The states that can be paused. They are printed by themselves and inside `paused`, there without the rest. */
function heldStates<Rest extends z.ZodRawShape>(rest: Rest) {
  return [
    inState('waitingForUser', rest),
    inState('callingModel', {
      request,
      retries,
      streaming: z.boolean().describe('Whether text has begun to arrive.'),
      ask,
      ...rest,
    }),
    inState('awaitingPermission', {
      request,
      calls: list(permissionCall).describe('The calls of the reply.'),
      agenda,
      ...rest,
    }),
    inState('executingTools', {
      request,
      executions: list(execution).describe('The calls of the reply.'),
      agenda,
      ...rest,
    }),
    inState('postToolsHook', { request, retries, work: hookWork, ...rest }),
    inState('paging', { request, retries, work: pagingWork, ...rest }),
    inState('errorRecovery', {
      origin: z.literal('model').describe('The model failed.'),
      request,
      retries,
      retryAt,
      error: modelError,
      ask,
      ...rest,
    }),
    inState('errorRecovery', {
      origin: z.literal('tool').describe('A verdict asked for recovery.'),
      request,
      attempt: z.int().describe('1 for the first try.'),
      verdict,
      agenda,
      ...rest,
    }),
    inState('errorRecovery', {
      origin: z.literal('io').describe('Hooks or paging failed.'),
      request,
      retries,
      retryAt,
      message: z.string().describe('What went wrong.'),
      work: z
        .discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('hooks').describe('Hooks failed.'), hooks: hookWork }),
          z.strictObject({ kind: z.literal('paging').describe('Paging failed.'), paging: pagingWork }),
        ])
        .describe('What is tried again.'),
      ...rest,
    }),
  ] as const;
}

function inState<Name extends Turn['status'], Fields extends z.ZodRawShape>(
  name: Name,
  fields: Fields,
): z.ZodObject<{ status: z.ZodLiteral<Name>; since: z.ZodNumber } & Fields, z.core.$strict> {
  const since = z.number().describe('Since when, in milliseconds since 1970.');
  return z.strictObject({ status: z.literal(name).describe('The name of the state.'), since, ...fields });
}
