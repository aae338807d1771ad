import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/index.ts';

const schema = v.object({ city: v.pipe(v.string(), v.minLength(1)), days: v.optional(v.number(), 3) });
const context = { signal: new AbortController().signal, report: () => undefined };

describe('a tool with a schema of another library', () => {
  const tool = defineTool({
    name: 'weather',
    description: 'Tells the weather.',
    parameters: toStandardJsonSchema(schema),
    run: ({ city, days }) => Promise.resolve({ ok: true, output: `${city}: rain for ${days} days` }),
  });

  it('shows the model its parameters', () => {
    expect(tool.description.parameters).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    });
  });

  it('validates its arguments, applies defaults, and reports what is wrong and where', async () => {
    expect(await tool.run({ city: 'Bergen' }, context)).toEqual({
      ok: true,
      output: 'Bergen: rain for 3 days',
    });
    expect(await tool.run({ city: 7 }, context)).toMatchObject({
      ok: false,
      error: {
        kind: 'invalid',
        message: expect.stringMatching(/^Invalid arguments for weather: .*\(at city\)$/),
      },
    });
  });

  it('needs a JSON Schema if the library cannot convert it', () => {
    const definition = {
      name: 'weather',
      description: 'Tells the weather.',
      parameters: schema,
      run: () => Promise.resolve({ ok: true, output: '' } as const),
    };
    expect(() => defineTool(definition)).toThrow(/cannot be converted to JSON Schema/);
    const toolWithSchema = defineTool({ ...definition, jsonSchema: { type: 'object' } });
    expect(toolWithSchema.description.parameters).toEqual({ type: 'object' });
  });
});
