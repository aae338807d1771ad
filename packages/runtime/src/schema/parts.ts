import * as z from 'zod';
import { anyJsonSchema } from './json-value.ts';
import { describeMismatch } from '../text/one-line.ts';

/** Maximum number of items in a list of calls or evidence. */
export const listMax = 10_000;

const boundedArraySchema = z.custom<readonly unknown[]>(
  (value) => Array.isArray(value) && value.length <= listMax,
  {
    error: ({ input }) =>
      describeMismatch(`an array of at most ${listMax} items`, Array.isArray(input) ? input.length : input),
  },
);

/** An array whose length is checked before its items, so that a million invalid items give one error. */
export function createListSchema<Item extends z.ZodType>(
  item: Item,
): z.ZodPipe<z.ZodCustom<readonly unknown[]>, z.ZodArray<Item>> {
  return boundedArraySchema.pipe(z.array(item).max(listMax));
}

/*
 * The building blocks of events, actions, notes and states. An `id` is the part's name in the JSON Schema; descriptions
 * appear on the reference page.
 */

export const eventTimeSchema = z
  .number()
  .describe('Time of the event, in milliseconds since the Unix epoch.');

export const toolCallSchema = z
  .strictObject({
    id: z.string().describe('Identifies the call; unique within the reply.'),
    tool: z.string().describe('The name of the tool.'),
    args: anyJsonSchema.describe('The arguments of the tool.'),
  })
  .meta({ id: 'Call', description: 'A tool call in the conversation.' });

export const requestedCallSchema = z
  .strictObject({
    id: z
      .exactOptional(z.string())
      .describe('Identifies the call; generated if it is missing or not unique.'),
    tool: z.string().describe('The name of the tool.'),
    args: anyJsonSchema.describe('The arguments of the tool.'),
    permission: z
      .exactOptional(z.enum(['allow', 'ask', 'deny']))
      .describe('The result of your permission rules; defaults to `allow`.'),
    denialReason: z.exactOptional(z.string()).describe('Why it is denied, for the model.'),
  })
  .meta({ id: 'RequestedCall', description: 'A tool call as requested by a model.' });

export const usageSchema = z
  .strictObject({
    inputTokens: z.number().min(0).describe('Number of input tokens.'),
    outputTokens: z.number().min(0).describe('Number of output tokens.'),
    cost: z.exactOptional(z.number().min(0)).describe('Cost, in the currency of the budget.'),
  })
  .meta({ id: 'Usage', description: 'Token usage of a model call.' });

export const fileEffectSchema = z
  .strictObject({
    path: z.string().describe('Path of the file.'),
    hash: z.string().describe('Hash of its current content.'),
    diff: z.exactOptional(z.string()).describe('The change as the hunks of a unified diff, for display.'),
  })
  .meta({ id: 'FileEffect', description: 'A file after a call.' });

export const storedEntrySchema = z
  .strictObject({
    key: z.string().describe('The key of the entry: its tags.'),
    value: anyJsonSchema.describe('The stored value.'),
    kind: z
      .enum(['entry', 'think-log', 'evaluation-log', 'command-log', 'conversation'])
      .describe('The kind of entry it was before it was stored.'),
    savedAt: z.number().describe('Time it was stored.'),
  })
  .meta({ id: 'StoredEntry', description: 'An entry in storage.' });

export const modelErrorKindSchema = z.enum([
  'auth',
  'rate-limit',
  'overloaded',
  'context-overflow',
  'bad-request',
  'network',
  'refused',
  'truncated',
  'timeout',
  'repetition-loop',
  'unknown',
]);

export const modelErrorSchema = z
  .strictObject({
    kind: modelErrorKindSchema.describe('Category of the failure.'),
    message: z.string().describe('The error message, for a user.'),
    retryable: z.exactOptional(z.boolean()).describe('Whether a retry can succeed; defaults to true.'),
    retryAfterMs: z
      .exactOptional(z.number().min(0))
      .describe('Delay that the provider requests before a retry.'),
  })
  .meta({ id: 'ModelError', description: 'Why a model call failed.' });

const toolErrorSchema = z
  .strictObject({
    kind: z
      .enum(['failed', 'invalid', 'denied', 'timeout', 'interrupted', 'cancelled', 'skipped'])
      .describe(
        '`interrupted` may have completed, partially completed or not run; `skipped` was never started.',
      ),
    message: z.string().describe('The error message for the model.'),
  })
  .meta({ id: 'ToolError', description: 'Why a tool call did not succeed.' });

export const outcomeSchema = z
  .discriminatedUnion('ok', [
    z.strictObject({
      ok: z.literal(true).describe('It succeeded.'),
      output: anyJsonSchema.describe('The output of the tool.'),
      final: z.exactOptional(z.boolean()).describe('Whether the call completes the turn.'),
    }),
    z.strictObject({ ok: z.literal(false).describe('It failed.'), error: toolErrorSchema }),
  ])
  .meta({ id: 'Outcome', description: 'How a tool call ended.' });

export const completedToolSchema = z
  .strictObject({
    callId: z.string().describe('The `id` of the call.'),
    tool: z.string().describe('The name of the tool.'),
    ok: z.boolean().describe('Whether it succeeded.'),
  })
  .meta({ id: 'CompletedTool', description: 'A completed tool call and whether it succeeded.' });

const messageTimeSchema = z
  .number()
  .describe('Time it was added to the conversation, in milliseconds since the Unix epoch.');

export const conversationMessageSchema = z
  .discriminatedUnion('role', [
    z.strictObject({
      role: z.literal('user').describe('A message from a user.'),
      at: messageTimeSchema,
      text: z.string().describe('The text of the message.'),
    }),
    z.strictObject({
      role: z.literal('assistant').describe('A reply of the model.'),
      at: messageTimeSchema,
      text: z.string().describe('The text of the reply; may be empty.'),
      calls: createListSchema(toolCallSchema).describe('The requested tool calls.'),
      isInterrupted: z
        .exactOptional(z.literal(true))
        .describe('The user interrupted the reply, so the text is incomplete and no answer.'),
    }),
    z.strictObject({
      role: z.literal('tool').describe('The result of a tool call.'),
      at: messageTimeSchema,
      callId: z.string().describe('The `id` of the call.'),
      tool: z.string().describe('The name of the tool.'),
      outcome: outcomeSchema,
    }),
  ])
  .meta({ id: 'Message', description: 'A message of the conversation.' });
