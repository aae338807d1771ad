import { eventTypes, type Json } from '@pawl/core';
import * as z from 'zod';
import { eventExamples, eventSchemas } from './events.ts';
import { toSchemaName } from './exact-schema.ts';
import { actionSchemas } from './actions.ts';
import { noteSchemas, turnStatusSchema } from './notes.ts';
import { stateSchema } from './states.ts';

const actionSchema = z
  .union(Object.values(actionSchemas))
  .meta({ id: 'Action', description: 'An action for the host to carry out.' });

const noteSchema = z
  .union(Object.values(noteSchemas))
  .meta({ id: 'Note', description: 'A note for logs and observers.' });

const sessionSnapshotSchema = z
  .looseObject({ version: z.literal(1).describe('The version of the format.') })
  .meta({ id: 'Session', description: 'The full session, as stored in a snapshot.' });

/** The output of `pawl pipe` for each input line. */
export const answerSchema = z
  .discriminatedUnion('ok', [
    z.strictObject({
      ok: z.literal(true).describe('The line was an event.'),
      seq: z.int().describe('Number of durable events of the session.'),
      refused: z.exactOptional(z.string()).describe('Why the event was rejected; absent if it was accepted.'),
      state: z
        .union([stateSchema, turnStatusSchema, sessionSnapshotSchema])
        .describe('Depending on `--state`: the compact state, only its name, or the full session.'),
      actions: z.array(actionSchema).describe('The actions to carry out, in this order.'),
      notes: z.array(noteSchema).describe('Notes for logs and observers.'),
    }),
    z.strictObject({
      ok: z.literal(false).describe('The line was not an event.'),
      line: z.int().describe('Number of the input line, starting at 1.'),
      error: z.string().describe('The error message.'),
    }),
  ])
  .meta({ id: 'Answer', description: 'The output line of `pawl pipe` for an input line.' });

/** A JSON Schema, as far as the project reads its own. */
export type JsonSchema = { readonly [key: string]: Json };

const anyEventSchema = z
  .union(Object.values(eventSchemas))
  .meta({ id: 'Event', description: 'Something that happened: the only input of a session.' });

/**
 * Builds the JSON Schema of an event (draft 2020-12). Its definitions include the output of `pawl pipe`, as `Answer`.
 */
export function buildEventsJsonSchema(): JsonSchema & {
  readonly $defs: { readonly [name: string]: JsonSchema };
} {
  const whole = z.toJSONSchema(z.strictObject({ event: anyEventSchema, answer: answerSchema }), {
    unrepresentable: 'any',
  });
  const definitions = { ...(whole.$defs as { readonly [name: string]: JsonSchema }) };
  for (const type of eventTypes) {
    const name = toSchemaName(type, 'Event');
    definitions[name] = { ...definitions[name], examples: [eventExamples[type]] };
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Pawl event',
    $ref: '#/$defs/Event',
    $defs: definitions,
  };
}
