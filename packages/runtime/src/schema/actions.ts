import type { ActionType, EventType } from '@pawl/core';
import * as z from 'zod';
import { createListSchema } from './list.ts';
import {
  toolCallSchema,
  completedToolSchema,
  conversationMessageSchema,
  modelErrorKindSchema,
  storedEntrySchema,
} from './parts.ts';
import type { PrintedAction } from './printed.ts';
import type { ExactSchemas } from './exact-schema.ts';
import { toSchemaName } from './schema-name.ts';
import { haltReasonSchema, verdictSchema } from './verdict.ts';

const actionRequestSchema = z
  .int()
  .describe('The number of this piece of work; the events that answer it carry it.');
const attemptSchema = z.int().describe('1 for the first try.');

const rawActionSchemas = {
  'ask-model': createActionSchema('ask-model', 'Send the conversation to the model.', {
    request: actionRequestSchema,
    attempt: attemptSchema,
    tools: z.boolean().describe('Whether the model may call tools; false for a last answer.'),
    advice: z
      .string()
      .nullable()
      .describe('Goes to the very bottom of the prompt, for this call only; null if there is none.'),
    deadline: z
      .number()
      .nullable()
      .describe('When the answer must be there; after that, report a failure. null for whenever it comes.'),
    messages: z.array(conversationMessageSchema).describe('The whole conversation, oldest first.'),
    section: z
      .string()
      .nullable()
      .describe('Where there are modes: says where the agent is, advice included. Goes last in the prompt.'),
  }),
  'ask-permission': createActionSchema('ask-permission', 'Ask a person about each of these calls.', {
    request: actionRequestSchema,
    calls: createListSchema(toolCallSchema).describe('The calls to decide on, one event each.'),
  }),
  'run-tools': createActionSchema('run-tools', 'Run these calls, in parallel or in order as you like.', {
    request: actionRequestSchema,
    calls: createListSchema(toolCallSchema).describe('The calls to run, one `tool-finished` each.'),
  }),
  'run-hooks': createActionSchema(
    'run-hooks',
    'Run what is to run after tools changed something, such as a commit.',
    {
      request: actionRequestSchema,
      completed: createListSchema(completedToolSchema).describe('Which tools ended how.'),
    },
  ),
  'page-memory': createActionSchema('page-memory', "Make room in the model's window.", {
    request: actionRequestSchema,
    reason: z.string().describe('Why there is need of it.'),
  }),
  store: createActionSchema(
    'store',
    'Keep these in storage: they have left working memory. Nothing answers it.',
    {
      entries: createListSchema(storedEntrySchema).describe('What to keep, in order.'),
    },
  ),
  recover: createActionSchema('recover', 'Look for a way out of a stuck state.', {
    request: actionRequestSchema,
    attempt: attemptSchema,
    verdict: verdictSchema.describe('What the work was judged to be.'),
  }),
  wait: createActionSchema('wait', 'Do nothing until the next event.', {
    until: z
      .number()
      .nullable()
      .describe('When to send `retry-due`, in milliseconds since 1970; null for never.'),
  }),
  'show-text': createActionSchema('show-text', 'Show this text to the user.', {
    text: z.string().describe('A piece of what the model writes.'),
  }),
  'show-error': createActionSchema('show-error', 'Show this error to the user.', {
    kind: z
      .enum([...modelErrorKindSchema.options, 'io'])
      .describe('What kind it is; `refused` is also an event that did not fit.'),
    message: z.string().describe('What went wrong.'),
  }),
  abort: createActionSchema('abort', 'Call off the work of a request; nothing it answers will be taken.', {
    request: z.int().describe('The number of the piece of work.'),
  }),
  stop: createActionSchema('stop', 'The session has ended for good; stop the work.', {
    haltReason: haltReasonSchema,
  }),
  'shut-down': createActionSchema('shut-down', 'End everything and let go of the session.', {}),
} satisfies Record<ActionType, z.ZodType>;

type ActionsByType = { [Type in ActionType]: Extract<PrintedAction, { readonly type: Type }> };

/** The schemas of printed actions by type. */
export const actionSchemas: ExactSchemas<typeof rawActionSchemas, ActionsByType> = rawActionSchemas;

/** The events that answer each action. */
export const actionAnswerEvents: { readonly [Type in ActionType]: readonly EventType[] } = {
  'ask-model': ['text-delta', 'call-delta', 'model-replied', 'model-failed'],
  'ask-permission': ['permission-decided'],
  'run-tools': ['tool-started', 'tool-progressed', 'tool-finished'],
  'run-hooks': ['hooks-finished', 'hooks-failed'],
  'page-memory': ['paging-finished', 'paging-failed'],
  store: [],
  recover: ['recovery-finished'],
  wait: ['retry-due'],
  'show-text': [],
  'show-error': [],
  abort: [],
  stop: [],
  'shut-down': [],
};

function createActionSchema<Type extends ActionType, Fields extends z.ZodRawShape>(
  type: Type,
  description: string,
  fields: Fields,
): z.ZodObject<{ type: z.ZodLiteral<Type> } & Fields, z.core.$strict> {
  return z
    .strictObject({ type: z.literal(type).describe('The type of the action.'), ...fields })
    .meta({ id: toSchemaName(type, 'Action'), description });
}
