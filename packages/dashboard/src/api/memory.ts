import * as z from 'zod';
import { jsonSchema } from './shared-schemas.ts';

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
