import type { ConversationMessage } from '@pawl/core';
import * as z from 'zod';
import { toolDescriptionSchema } from './sessions.ts';

export const promptQuerySchema = z.object({
  at: z.coerce.number().int().min(1).describe('Number of the event that caused the model request.'),
});

const messageSchema = z
  .custom<ConversationMessage>((value) => typeof value === 'object' && value !== null)
  .meta({ id: 'Message', description: 'A message of the conversation: user, assistant or tool.' });

export const modelPromptSchema = z
  .object({
    seq: z.int(),
    request: z.int(),
    attempt: z.int(),
    system: z.string(),
    tools: z.array(toolDescriptionSchema),
    messages: z.array(messageSchema),
    injected: z
      .object({
        advice: z.nullable(z.string()).describe('Advice from the governor.'),
        state: z.nullable(z.string()).describe('Mode state including the advice, if the profile has modes.'),
      })
      .describe('Text appended to the prompt that is not part of the conversation.'),
    dropped: z.int().describe('Number of older messages not sent because of compaction.'),
    missing: z
      .array(z.enum(['prompt', 'tools']))
      .describe('Parts that were not recorded and are therefore missing.'),
  })
  .meta({ id: 'Prompt', description: 'The exact model request.' });

export type ModelPrompt = z.infer<typeof modelPromptSchema>;
