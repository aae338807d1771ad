import * as z from 'zod';
import { jsonSchema } from './shared-schemas.ts';
import type { ConversationMessage } from '@pawl/core';
import { toolDescriptionSchema } from './sessions.ts';

export const fleetStatusSchema = z
  .object({
    store: z.object({ kind: z.enum(['sqlite', 'redis', 'memory']), where: z.nullable(z.string()) }),
    workers: z
      .array(z.object({ name: z.string(), tenant: z.string(), idleMs: z.nullable(z.number()) }))
      .describe('Workers connected to the queues; empty without Redis.'),
    queues: z.array(
      z.object({
        tenant: z.string(),
        waiting: z.int(),
        delayed: z.int(),
        active: z.int(),
        stalled: z.int(),
      }),
    ),
    parked: z.array(z.object({ session: z.string(), reason: z.string(), at: z.number() })),
    leases: z
      .array(
        z.object({ session: z.string(), owner: z.string(), state: z.enum(['alive', 'gone', 'unknown']) }),
      )
      .describe('Owners of the running sessions.'),
    held: z.array(z.string()).describe('Ids of the sessions that this server runs.'),
    rates: z.object({
      events: z.number().describe('Events per minute, averaged over the last five minutes.'),
      modelCalls: z.number(),
      toolCalls: z.number(),
      tokens: z.number(),
    }),
  })
  .meta({ id: 'Fleet' });

export type FleetStatus = z.infer<typeof fleetStatusSchema>;

export const memoryQuerySchema = z.object({
  q: z.string().max(1_000).default(''),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const storedMemorySchema = z
  .object({
    entries: z.array(
      z.object({
        key: z.string(),
        value: jsonSchema,
        size: z.int().describe('Length of the value in characters.'),
        at: z.number().describe('When the entry was stored.'),
      }),
    ),
  })
  .meta({ id: 'StoredMemory', description: 'Memory entries in storage.' });

export type StoredMemory = z.infer<typeof storedMemorySchema>;

export const feedbackRequestSchema = z
  .strictObject({
    mark: z.nullable(z.enum(['right', 'wrong'])).describe('Feedback on the verdict; null removes it.'),
    rule: z.string().max(200).optional().describe('Selects the verdict if an event has several.'),
    note: z.string().max(2_000).optional(),
  })
  .meta({ id: 'VerdictMark' });

export const healthSchema = z
  .object({ ok: z.literal(true), version: z.string(), now: z.number() })
  .meta({ id: 'Health' });

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
