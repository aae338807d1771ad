import type { Json } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';
import type { ProtocolContext } from './codec.ts';
import { nothingSaid, type Said } from './decision.ts';
import { isList, isObject, own } from './fields.ts';

export type Parameter = {
  readonly name: string;
  readonly schema: Json;
  /** The one JSON type it has; null when the schema leaves it open. */
  readonly type: string | null;
  readonly isRequired: boolean;
  readonly description: string;
};

/** The parameters of a tool, as its schema lists them. */
export function parametersOf({ parameters }: ToolDescription): readonly Parameter[] {
  const properties = own(parameters, 'properties');
  const required = own(parameters, 'required');
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, schema]) => {
    const type = own(schema, 'type');
    const description = own(schema, 'description');
    return {
      name,
      schema,
      type: typeof type === 'string' ? type : null,
      isRequired: isList(required) && required.includes(name),
      description: typeof description === 'string' ? description : '',
    };
  });
}

/** One line about a tool and one about each of its parameters. */
export function describeTool(tool: ToolDescription): string {
  const lines = parametersOf(tool).map(({ name, type, isRequired, description }) => {
    const kind = [type ?? 'any', ...(isRequired ? [] : ['optional'])].join(', ');
    return `  - ${name} (${kind})${description === '' ? '' : `: ${description}`}`;
  });
  return [`- ${tool.name}: ${tool.description}`, ...lines].join('\n');
}

/** A reply for an example: a call, or without tools a change of state, or without states nothing yet. */
export function sampleSaid({ tools: [tool], states: [state] }: ProtocolContext): Said {
  return tool === undefined
    ? { ...nothingSaid, nextState: state ?? null }
    : { ...nothingSaid, calls: [{ tool: tool.name, args: sampleArguments(tool) }] };
}

/** Arguments that fit the schema, for an example: what is required and nothing else. */
export function sampleArguments(tool: ToolDescription): { readonly [name: string]: Json } {
  return sampleObject(tool.parameters, depthMax);
}

/** No example is worth more levels. */
const depthMax = 5;

function sampleObject(schema: Json, left: number): { readonly [name: string]: Json } {
  const properties = own(schema, 'properties');
  const required = own(schema, 'required');
  if (!isObject(properties) || !isList(required)) return {};
  const names = required.filter((name): name is string => typeof name === 'string');
  return Object.fromEntries(names.map((name) => [name, sample(own(properties, name) ?? {}, left - 1)]));
}

function sample(schema: Json, left: number): Json {
  const choices = own(schema, 'enum');
  if (isList(choices) && choices[0] !== undefined) return choices[0];
  const fixed = own(schema, 'const') ?? own(schema, 'default');
  if (fixed !== undefined) return fixed;
  return sampleOfType(schema, left);
}

function sampleOfType(schema: Json, left: number): Json {
  switch (own(schema, 'type')) {
    case 'number':
    case 'integer':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'array':
      return left > 0 ? [sample(own(schema, 'items') ?? {}, left - 1)] : [];
    case 'object':
      return left > 0 ? sampleObject(schema, left) : {};
    default:
      return 'text';
  }
}

function sampleNumber(schema: Json): number {
  const least = own(schema, 'minimum');
  return typeof least === 'number' && Number.isFinite(least) ? Math.max(1, least) : 1;
}
