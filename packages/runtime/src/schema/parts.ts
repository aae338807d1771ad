import * as z from 'zod';
import { anyJsonSchema } from './json-value.ts';
import { createListSchema } from './list.ts';

/*
 * The building blocks of events, actions, notes and states. An `id` is the part's name in the JSON Schema; descriptions
 * appear on the reference page.
 */

export const eventTimeSchema = z.number().describe('When it happened, in milliseconds since 1970.');

export const toolCallSchema = z
  .strictObject({
    id: z.string().describe('Names the call; no other call of the same reply has it.'),
    tool: z.string().describe('The name of the tool.'),
    args: anyJsonSchema.describe('The arguments of the tool.'),
  })
  .meta({ id: 'Call', description: 'A tool call as it stands in the conversation.' });

export const requestedCallSchema = z
  .strictObject({
    id: z
      .exactOptional(z.string())
      .describe('Names the call; one is made up where it is missing or used twice.'),
    tool: z.string().describe('The name of the tool.'),
    args: anyJsonSchema.describe('The arguments of the tool.'),
    permission: z
      .exactOptional(z.enum(['allow', 'ask', 'deny']))
      .describe('What your rules say about the call; `allow` if absent.'),
    because: z.exactOptional(z.string()).describe('Why it is denied, for the model to read.'),
  })
  .meta({ id: 'RequestedCall', description: 'A tool call as a model asks for it.' });

export const usageSchema = z
  .strictObject({
    inputTokens: z.number().min(0).describe('Tokens the model read.'),
    outputTokens: z.number().min(0).describe('Tokens the model wrote.'),
    cost: z.exactOptional(z.number().min(0)).describe('What it cost, in the money the budget is in.'),
  })
  .meta({ id: 'Usage', description: 'What a model call used.' });

export const fileEffectSchema = z
  .strictObject({
    path: z.string().describe('The file.'),
    hash: z.string().describe('A fingerprint of all it holds now.'),
  })
  .meta({ id: 'FileEffect', description: 'A file as a call left it.' });

export const storedEntrySchema = z
  .strictObject({
    key: z.string().describe('Its tags.'),
    value: anyJsonSchema.describe('What is kept under them.'),
    kind: z
      .enum(['entry', 'think-log', 'evaluation-log', 'command-log', 'conversation'])
      .describe('What it was before it was put away.'),
    savedAt: z.number().describe('When it was put away.'),
  })
  .meta({ id: 'StoredEntry', description: 'Something in storage.' });

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
  'chanting',
  'unknown',
]);

export const modelErrorSchema = z
  .strictObject({
    kind: modelErrorKindSchema.describe('What kind of failure it is.'),
    message: z.string().describe('What went wrong, for a person to read.'),
    retryable: z.exactOptional(z.boolean()).describe('Whether trying again can help; true if absent.'),
    retryAfterMs: z.exactOptional(z.number().min(0)).describe('How long the provider asks to wait.'),
  })
  .meta({ id: 'ModelError', description: 'Why a model call failed.' });

const toolErrorSchema = z
  .strictObject({
    kind: z
      .enum(['failed', 'invalid', 'denied', 'timeout', 'interrupted', 'cancelled', 'skipped'])
      .describe('`interrupted` may have run fully, partly or not at all; `skipped` was never started.'),
    message: z.string().describe('What the model is told.'),
  })
  .meta({ id: 'ToolError', description: 'Why a tool call did not succeed.' });

export const outcomeSchema = z
  .discriminatedUnion('ok', [
    z.strictObject({
      ok: z.literal(true).describe('It succeeded.'),
      output: anyJsonSchema.describe('What the tool gave back.'),
      final: z.exactOptional(z.boolean()).describe('True if the work of this turn is done.'),
    }),
    z.strictObject({ ok: z.literal(false).describe('It did not.'), error: toolErrorSchema }),
  ])
  .meta({ id: 'Outcome', description: 'How a tool call ended.' });

export const completedToolSchema = z
  .strictObject({
    callId: z.string().describe('The `id` of the call.'),
    tool: z.string().describe('The name of the tool.'),
    ok: z.boolean().describe('Whether it succeeded.'),
  })
  .meta({ id: 'CompletedTool', description: 'Which tool ended how.' });

const messageTimeSchema = z.number().describe('When it joined the conversation, in milliseconds since 1970.');

export const conversationMessageSchema = z
  .discriminatedUnion('role', [
    z.strictObject({
      role: z.literal('user').describe('A person said it.'),
      at: messageTimeSchema,
      text: z.string().describe('What they said.'),
    }),
    z.strictObject({
      role: z.literal('assistant').describe('The model said it.'),
      at: messageTimeSchema,
      text: z.string().describe('What it said; may be empty.'),
      calls: createListSchema(toolCallSchema).describe('The tool calls it asked for.'),
    }),
    z.strictObject({
      role: z.literal('tool').describe('A tool call ended.'),
      at: messageTimeSchema,
      callId: z.string().describe('The `id` of the call.'),
      tool: z.string().describe('The name of the tool.'),
      outcome: outcomeSchema,
    }),
  ])
  .meta({ id: 'Message', description: 'One message of the conversation.' });
