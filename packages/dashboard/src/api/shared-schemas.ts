import type { Event, Json, Session } from '@pawl/core';
import * as z from 'zod';

/** Maximum length of a session id or a request id. */
const idMax = 200;

export const idSchema = z.string().min(1).max(idMax);

/** Idempotency key: a request repeated with the same id takes effect once. */
export const requestIdSchema = z
  .string()
  .min(1)
  .max(idMax)
  .describe('Idempotency key: a repeated request takes effect once.');

export const jsonSchema = z
  .custom<Json>((value) => value !== undefined)
  .meta({ id: 'Json', description: 'Any JSON value.' });

export const sessionSchema = z.custom<Session>(isPlainRecord).meta({
  id: 'Session',
  description:
    'A session of @pawl/core as plain JSON: apply events with step() to get its state after each of them.',
});

const eventSchema = z.custom<Event>(isPlainRecord).meta({
  id: 'Event',
  description: 'An event of @pawl/core; see docs/events.schema.json.',
});

export const numberedEventSchema = z
  .object({ seq: z.int().min(1), event: eventSchema })
  .meta({ id: 'KeptEvent', description: 'An event with its number in the log.' });

export type NumberedEvent = { readonly seq: number; readonly event: Event };

function isPlainRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
