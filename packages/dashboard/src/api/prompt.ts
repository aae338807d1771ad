import type { ConversationMessage } from '@pawl/core';
import * as z from 'zod';
import { toolDescriptionSchema } from './sessions.ts';

export const promptQuerySchema = z.object({
  at: z.coerce.number().int().min(1).describe('The number of the event that made the model be asked.'),
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
        advice: z.nullable(z.string()).describe('What the governor had to say.'),
        state: z
          .nullable(z.string())
          .describe('Where the agent is, with the advice in it, where there are modes.'),
      })
      .describe('What stands at the very bottom and is no part of the conversation.'),
    dropped: z.int().describe('How many older messages were in storage by then, and so were not sent.'),
    missing: z.array(z.enum(['prompt', 'tools'])).describe('What is not on record and so is left out.'),
  })
  .meta({ id: 'Prompt', description: 'What the model was sent, to the letter.' });

export type ModelPrompt = z.infer<typeof modelPromptSchema>;
