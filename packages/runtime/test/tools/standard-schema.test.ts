import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/index.ts';

const schema = v.object({ city: v.pipe(v.string(), v.minLength(1)), days: v.optional(v.number(), 3) });
const context = { signal: new AbortController().signal, report: () => undefined };

describe('a tool whose schema is of another library', () => {
  const tool = defineTool({
    name: 'weather',
    description: 'Tells the weather.',
    parameters: toStandardJsonSchema(schema),
    run: ({ city, days }) => Promise.resolve({ ok: true, output: `${city}: rain for ${days} days` }),
  });

  it('shows the model what it takes', () => {
    expect(tool.description.parameters).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    });
  });

  it('checks its arguments, fills in what was left out, and says what is wrong where', async () => {
    expect(await tool.run({ city: 'Bergen' }, context)).toEqual({
      ok: true,
      output: 'Bergen: rain for 3 days',
    });
    expect(await tool.run({ city: 7 }, context)).toMatchObject({
      ok: false,
      error: {
        kind: 'invalid',
        message: expect.stringMatching(/^Bad arguments for weather: .*\(at city\)$/),
      },
    });
  });

  it('needs its JSON Schema where the library cannot tell it', () => {
    const definition = {
      name: 'weather',
      description: 'Tells the weather.',
      parameters: schema,
      run: () => Promise.resolve({ ok: true, output: '' } as const),
    };
    expect(() => defineTool(definition)).toThrow(/give it as JSON Schema/);
    const told = defineTool({ ...definition, jsonSchema: { type: 'object' } });
    expect(told.description.parameters).toEqual({ type: 'object' });
  });
});
