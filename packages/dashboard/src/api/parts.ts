import type { Event, Json, Session } from '@pawl/core';
import * as z from 'zod';

/** How long an id may be, of a session or of a request. */
const idMax = 200;

export const idSchema = z.string().min(1).max(idMax);

/** Whoever sends the same thing twice under one of these has asked for it once. */
export const requestIdSchema = z.string().min(1).max(idMax).describe('Sent again, it is done once.');

export const jsonSchema = z
  .custom<Json>((value) => value !== undefined)
  .meta({ id: 'Json', description: 'Any JSON.' });

export const sessionSchema = z.custom<Session>(isRecord).meta({
  id: 'Session',
  description: 'A session of @pawl/core as plain JSON: feed it events with step() to have it at any of them.',
});

const eventSchema = z.custom<Event>(isRecord).meta({
  id: 'Event',
  description: 'An event of @pawl/core, as docs/events.schema.json describes it.',
});

export const keptEventSchema = z
  .object({ seq: z.int().min(1), event: eventSchema })
  .meta({ id: 'KeptEvent', description: 'An event and its number in the log.' });

export type KeptEvent = { readonly seq: number; readonly event: Event };

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
