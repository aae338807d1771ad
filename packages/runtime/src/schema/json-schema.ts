import { eventTypes, type Json } from '@pawl/core';
import * as z from 'zod';
import { answerSchema } from './answer.ts';
import { eventExamples, eventSchemas } from './events.ts';
import { toSchemaName } from './schema-name.ts';

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
