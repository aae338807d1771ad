import * as z from 'zod';
import { anyJsonSchema } from './json-value.ts';
import { createListSchema } from './list.ts';
import { toolCallSchema, completedToolSchema, outcomeSchema } from './parts.ts';
import { verdictSchema } from './verdict.ts';

/* What a state stores about the work it waits for. */

const finishSchema = z
  .strictObject({
    reason: z.string().describe('Why; the model is told.'),
    ends: z.enum(['turn', 'session']).describe('What ends when it is answered.'),
    rule: z.string().nullable().describe('The rule of the verdict behind it, if there was one.'),
    deadline: z.number().nullable().describe('When the answer must be there, once it was asked for.'),
  })
  .meta({ id: 'Finish', description: 'A last call without tools.' });

export const agendaSchema = z
  .strictObject({
    phaseChanges: z.int().describe('How many changes of phase wait to be noted.'),
    failedPhase: z.number().nullable().describe('The phase that failed, if one did.'),
    verdict: verdictSchema.nullable().describe('The gravest verdict, if there is one.'),
    finish: finishSchema.nullable().describe('The wish to finish, if there is one.'),
    said: z.exactOptional(z.array(z.string())).describe('What a person said; absent if nothing was said.'),
  })
  .meta({ id: 'Agenda', description: 'What was asked for while work was under way, for the next check.' });

export const askSchema = z
  .strictObject({
    advice: z.string().nullable().describe('What the model is told at the bottom of the prompt.'),
    finish: finishSchema.nullable().describe('Why it is a last call, if it is one.'),
    agenda: agendaSchema,
  })
  .meta({ id: 'Ask', description: 'What a model call is for.' });

export const hookWorkSchema = z
  .strictObject({
    completed: createListSchema(completedToolSchema).describe('Which tools ended how.'),
    next: z.enum(['ask-model', 'end-turn']).describe('What comes after the hooks.'),
    agenda: agendaSchema,
  })
  .meta({ id: 'HookWork', description: 'What hooks are run for.' });

export const pagingWorkSchema = z
  .strictObject({
    reason: z.string().describe('Why room is needed.'),
    asking: z
      .boolean()
      .describe('Whether a model call found no room and is made again; false if a person asked.'),
    ask: askSchema,
    modelRetries: z.int().describe('How often that call has failed.'),
  })
  .meta({ id: 'PagingWork', description: 'What room is made for.' });

export const executionSchema = z
  .discriminatedUnion('status', [
    z.strictObject({ status: z.literal('pending').describe('It has not begun.'), call: toolCallSchema }),
    z.strictObject({
      status: z.literal('running').describe('It is under way.'),
      call: toolCallSchema,
      startedAt: z.number().nullable().describe('When it started, if that was told.'),
      progress: z.string().nullable().describe('How far it says it is.'),
      intent: z.exactOptional(anyJsonSchema).describe('What it said it was about to do.'),
    }),
    z.strictObject({
      status: z.literal('completed').describe('It has ended.'),
      call: toolCallSchema,
      outcome: outcomeSchema,
    }),
  ])
  .meta({ id: 'Execution', description: 'A tool call on its way to a result.' });

export const permissionCallSchema = z
  .union([
    z.strictObject({
      decision: z.enum(['pending', 'allowed']).describe('Whether it may run.'),
      call: toolCallSchema,
    }),
    z.strictObject({
      decision: z.literal('denied').describe('It may not run.'),
      call: toolCallSchema,
      outcome: outcomeSchema,
    }),
  ])
  .meta({ id: 'PermissionCall', description: 'A tool call on its way to a decision.' });
