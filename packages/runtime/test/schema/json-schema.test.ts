import { eventTypes } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { actionSchemas } from '../../src/schema/actions.ts';
import { eventExamples } from '../../src/schema/events.ts';
import { buildEventsJsonSchema, type JsonSchema } from '../../src/schema/json-schema.ts';
import { noteSchemas } from '../../src/schema/notes.ts';
import { toSchemaName } from '../../src/schema/exact-schema.ts';

const schema = buildEventsJsonSchema();
const definitions = schema.$defs;
const text = JSON.stringify(schema);

type DescribedSchema = { readonly description?: string; readonly $ref?: string };

/** Every object in the schema that has properties, with a name to find it by. */
function listSchemaObjects(
  value: unknown,
  name: string,
): readonly (readonly [string, Record<string, DescribedSchema>])[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, child]) =>
    key === 'examples' ? [] : listSchemaObjects(child, `${name}.${key}`),
  );
  const isObject = 'type' in value && value.type === 'object' && 'properties' in value;
  return isObject ? [[name, value.properties as Record<string, DescribedSchema>], ...inner] : inner;
}

describe('the JSON Schema', () => {
  it('is draft 2020-12 and describes an event', () => {
    expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema['$ref']).toBe('#/$defs/Event');
    const events = eventTypes.map((type) => ({ $ref: `#/$defs/${toSchemaName(type, 'Event')}` }));
    expect(definitions['Event']).toMatchObject({ anyOf: events });
  });

  it('defines every event, action and note', () => {
    const names = [
      ...eventTypes.map((type) => toSchemaName(type, 'Event')),
      ...Object.keys(actionSchemas).map((type) => toSchemaName(type, 'Action')),
      ...Object.keys(noteSchemas).map((type) => toSchemaName(type, 'Note')),
    ];
    expect(Object.keys(definitions)).toEqual(expect.arrayContaining(names));
    expect(toSchemaName('user-message', 'Event')).toBe('UserMessageEvent');
  });

  it('has no undefined reference', () => {
    const used = [...text.matchAll(/"\$ref":"#\/\$defs\/([^"]*)"/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !Object.hasOwn(definitions, name))).toEqual([]);
    expect(text).not.toContain('__schema');
  });

  it('describes every definition and every property of it', () => {
    const bare = listSchemaObjects(definitions, '').flatMap(([name, properties]) =>
      Object.entries(properties)
        .filter(([, { description, $ref }]) => description === undefined && $ref === undefined)
        .map(([key]) => `${name}: ${key}`),
    );
    expect(bare).toEqual([]);
    const silent = Object.entries(definitions).filter(
      ([, definition]) => definition['description'] === undefined,
    );
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  it('allows no unknown key in an event, an action or a note', () => {
    const open = Object.entries(definitions).filter(
      ([name, definition]: [string, JsonSchema]) =>
        /.(?:Event|Action|Note)$/.test(name) && definition['additionalProperties'] !== false,
    );
    expect(open.map(([name]) => name)).toEqual([]);
  });

  it.each(eventTypes)('contains the example of %s, which is valid', (type) => {
    expect(definitions[toSchemaName(type, 'Event')]?.['examples']).toEqual([eventExamples[type]]);
    const read = z.fromJSONSchema(schema);
    expect(read.safeParse(eventExamples[type]).success).toBe(true);
    expect(read.safeParse({ ...eventExamples[type], colour: 'red' }).success).toBe(false);
  });

  it('is plain JSON and deterministic', () => {
    expect(JSON.parse(text)).toEqual(schema);
    expect(JSON.stringify(buildEventsJsonSchema())).toBe(text);
  });
});
