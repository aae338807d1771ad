import * as z from 'zod';
import { anyJsonSchema } from './json-value.ts';
import { createListSchema } from './list.ts';
import { toolCallSchema, completedToolSchema, outcomeSchema } from './parts.ts';
import { verdictSchema } from './verdict.ts';

/* What a state stores about the work it waits for. */

const finishSchema = z
  .strictObject({
    reason: z.string().describe('The reason, which the model receives.'),
    ends: z.enum(['turn', 'session']).describe('What ends after the answer.'),
    rule: z.string().nullable().describe('The rule of the verdict that caused it, if any.'),
    deadline: z.number().nullable().describe('Deadline of the answer, once it was requested.'),
  })
  .meta({ id: 'Finish', description: 'A final model call without tools.' });

export const agendaSchema = z
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

export const askSchema = z
  .strictObject({
    advice: z.string().nullable().describe('Advice appended to the prompt.'),
    finish: finishSchema.nullable().describe('The request to finish, if this is the final call.'),
    agenda: agendaSchema,
  })
  .meta({ id: 'Ask', description: 'The context of a model call.' });

export const hookWorkSchema = z
  .strictObject({
    completed: createListSchema(completedToolSchema).describe('The completed tool calls and their results.'),
    next: z.enum(['ask-model', 'end-turn']).describe('The step after the hooks.'),
    agenda: agendaSchema,
  })
  .meta({ id: 'HookWork', description: 'The context of a hook run.' });

export const pagingWorkSchema = z
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

export const executionSchema = z
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

export const permissionCallSchema = z
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
