import type { ActionType, EventType } from '@pawl/core';
import * as z from 'zod';
import {
  createListSchema,
  toolCallSchema,
  completedToolSchema,
  conversationMessageSchema,
  modelErrorKindSchema,
  storedEntrySchema,
} from './parts.ts';
import type { PrintedAction } from './printed.ts';
import { toSchemaName, type ExactSchemas } from './exact-schema.ts';
import { haltReasonSchema, verdictSchema } from './verdict.ts';

const actionRequestSchema = z.int().describe('Request number; the events that answer the action carry it.');
const attemptSchema = z.int().describe('Number of the attempt, starting at 1.');

const rawActionSchemas = {
  'ask-model': createActionSchema('ask-model', 'Send the conversation to the model.', {
    request: actionRequestSchema,
    attempt: attemptSchema,
    tools: z.boolean().describe('Whether the model may call tools; false for a final answer.'),
    advice: z
      .string()
      .nullable()
      .describe('Advice to append to the prompt, for this call only; null if there is none.'),
    deadline: z
      .number()
      .nullable()
      .describe('Deadline of the answer, after which the call counts as failed; null for none.'),
    messages: z.array(conversationMessageSchema).describe('The whole conversation, oldest first.'),
    section: z
      .string()
      .nullable()
      .describe(
        'For profiles with modes: the prompt section about the current mode, including advice. It goes last in the prompt.',
      ),
  }),
  'ask-permission': createActionSchema(
    'ask-permission',
    'Ask a user for permission for each of these calls.',
    {
      request: actionRequestSchema,
      calls: createListSchema(toolCallSchema).describe('The calls to decide, one event each.'),
    },
  ),
  'run-tools': createActionSchema('run-tools', 'Run these calls, in parallel or sequentially.', {
    request: actionRequestSchema,
    calls: createListSchema(toolCallSchema).describe('The calls to run, one `tool-finished` each.'),
  }),
  'run-hooks': createActionSchema(
    'run-hooks',
    'Run the hooks that follow changes by tools, such as a commit.',
    {
      request: actionRequestSchema,
      completed: createListSchema(completedToolSchema).describe(
        'The completed tool calls and their results.',
      ),
    },
  ),
  'page-memory': createActionSchema('page-memory', "Free space in the model's context window.", {
    request: actionRequestSchema,
    reason: z.string().describe('Why space is needed.'),
  }),
  store: createActionSchema(
    'store',
    'Save these entries, which have left working memory, to storage. No event answers it.',
    {
      entries: createListSchema(storedEntrySchema).describe('The entries to save, in order.'),
    },
  ),
  recover: createActionSchema('recover', 'Attempt to recover from a stuck state.', {
    request: actionRequestSchema,
    attempt: attemptSchema,
    verdict: verdictSchema.describe('The verdict that requested it.'),
  }),
  wait: createActionSchema('wait', 'Do nothing until the next event.', {
    until: z
      .number()
      .nullable()
      .describe('When to send `retry-due`, in milliseconds since the Unix epoch; null for never.'),
  }),
  'show-text': createActionSchema('show-text', 'Show this text to the user.', {
    text: z.string().describe('A fragment of the model output.'),
  }),
  'show-error': createActionSchema('show-error', 'Show this error to the user.', {
    kind: z
      .enum([...modelErrorKindSchema.options, 'io'])
      .describe('Category of the error; `refused` is also used for a rejected event.'),
    message: z.string().describe('The error message.'),
  }),
  abort: createActionSchema('abort', 'Cancel the work of a request; its later answers are rejected.', {
    request: z.int().describe('The request number.'),
  }),
  stop: createActionSchema('stop', 'The session has ended permanently; stop all work.', {
    haltReason: haltReasonSchema,
  }),
  'shut-down': createActionSchema('shut-down', 'Stop all work and release the session.', {}),
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
