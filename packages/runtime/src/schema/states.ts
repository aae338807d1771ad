import type { Turn } from '@pawl/core';
import * as z from 'zod';
import { anyJson } from './json-value.ts';
import { list } from './list.ts';
import { modelError } from './parts.ts';
import type { PrintedState } from './printed.ts';
import type { Exactly } from './same.ts';
import { haltReason, verdict } from './verdict.ts';
import { agenda, ask, execution, hookWork, pagingWork, permissionCall } from './work.ts';

const request = z.int().describe('The number of the work under way.');
const retries = z.int().describe('How often it has failed in a row.');
const retryAt = z.number().describe('When to try again, in milliseconds since 1970.');

const phaseWork = {
  files: z.array(z.string()).describe('The paths of files changed, each once; the latest if there are many.'),
  filesChanged: z.number().describe('How many files were changed.'),
  testsPassed: z.number().describe('Tests that passed, over every run of them.'),
  testsFailed: z.number().describe('Tests that failed, over every run of them.'),
  blockers: z.array(z.string()).describe('What stood in the way.'),
};
const phase = {
  number: z.number().describe('Which part it is.'),
  description: z.string().describe('What it is about.'),
  startedAt: z.number().describe('When it began.'),
  expectedMs: z.number().nullable().describe('How long it was expected to take.'),
  ...phaseWork,
};
const completedPhase = {
  ...phase,
  endedAt: z.number().describe('When it ended.'),
  success: z.boolean().describe('Whether it reached its aim.'),
  summary: z.string().nullable().describe('What was said of it when it ended, if anything.'),
};

const phases = z
  .strictObject({
    total: z.number().nullable().describe('How many there will be, if that is known.'),
    current: z.strictObject(phase).nullable().describe('The one under way.'),
    completed: z.array(z.strictObject(completedPhase)).describe('Those that have ended.'),
    outside: z.strictObject(phaseWork).describe('What was done while none was under way.'),
  })
  .meta({ id: 'Phases', description: 'The parts of a long task.' });

const move = z
  .strictObject({
    at: z.number().describe('When.'),
    from: z.string().describe('The mode left.'),
    to: z.string().describe('The mode entered.'),
    cause: z.string().describe('What brought it about.'),
    durationMs: z.number().describe('How long the mode left had lasted.'),
  })
  .meta({ id: 'ModeMove', description: 'A change of mode.' });

const mode = z
  .strictObject({
    chart: z.string().describe('The chart it is a mode of.'),
    state: z.string().describe('The mode.'),
    enteredAt: z.number().describe('Since when.'),
    steps: z.number().describe('Replies since then.'),
    failures: z.number().describe('Failures in a row since then.'),
    iterations: z.number().describe('Replies altogether.'),
    history: z.array(move).describe('The latest moves, oldest first.'),
    refusal: z.string().nullable().describe('Why the latest move or call was refused, if it was.'),
  })
  .meta({ id: 'Mode', description: 'What kind of step the agent is taking.' });

const memory = z
  .strictObject({
    tokens: z.number().describe('How large it is.'),
    entries: z.record(z.string(), anyJson).describe('What it holds, by tags.'),
  })
  .meta({ id: 'WorkingMemory', description: 'What the agent holds in mind.' });

/** What is printed once, whatever the state. */
const always = {
  messages: z.int().describe('How many messages the conversation has.'),
  phases,
  mode: mode.nullable().describe('The mode, where the profile has any.'),
  memory: memory.nullable().describe('Working memory, where the profile has one.'),
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
