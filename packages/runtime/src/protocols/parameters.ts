import { isJsonObject } from '@pawl/governor/json';
import type { Json } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';
import { emptyReplyPayload, type ProtocolContext, type ReplyPayload } from './decision.ts';
import { isJsonArray, getOwnJsonField } from './json-fields.ts';

export type ToolParameter = {
  readonly name: string;
  readonly schema: Json;
  /** Its only JSON type; null if the schema allows others. */
  readonly type: string | null;
  readonly isRequired: boolean;
  readonly description: string;
};

/** Lists the parameters in a tool's schema. */
export function listParameters({ parameters }: ToolDescription): readonly ToolParameter[] {
  const properties = getOwnJsonField(parameters, 'properties');
  const required = getOwnJsonField(parameters, 'required');
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).map(([name, schema]) => {
    const type = getOwnJsonField(schema, 'type');
    const description = getOwnJsonField(schema, 'description');
    return {
      name,
      schema,
      type: typeof type === 'string' ? type : null,
      isRequired: isJsonArray(required) && required.includes(name),
      description: typeof description === 'string' ? description : '',
    };
  });
}

/** Describes a tool and each of its parameters, one line each. */
export function describeTool(tool: ToolDescription): string {
  const lines = listParameters(tool).map(({ name, type, isRequired, description }) => {
    const kind = [type ?? 'any', ...(isRequired ? [] : ['optional'])].join(', ');
    return `  - ${name} (${kind})${description === '' ? '' : `: ${description}`}`;
  });
  return [`- ${tool.name}: ${tool.description}`, ...lines].join('\n');
}

/** Builds the payload of an example reply: a call, or a state transition if there are no tools, or else nothing. */
export function buildSamplePayload({ tools: [tool], states: [state] }: ProtocolContext): ReplyPayload {
  return tool === undefined
    ? { ...emptyReplyPayload, nextState: state ?? null }
    : { ...emptyReplyPayload, calls: [{ tool: tool.name, args: buildSampleArguments(tool) }] };
}

/** Builds example arguments that match the schema, with required fields only. */
export function buildSampleArguments(tool: ToolDescription): { readonly [name: string]: Json } {
  return buildSampleObject(tool.parameters, sampleDepthMax);
}

/** Maximum nesting depth of an example. */
const sampleDepthMax = 5;

function buildSampleObject(schema: Json, depthLeft: number): { readonly [name: string]: Json } {
  const properties = getOwnJsonField(schema, 'properties');
  const required = getOwnJsonField(schema, 'required');
  if (!isJsonObject(properties) || !isJsonArray(required)) return {};
  const names = required.filter((name): name is string => typeof name === 'string');
  return Object.fromEntries(
    names.map((name) => [name, buildSampleValue(getOwnJsonField(properties, name) ?? {}, depthLeft - 1)]),
  );
}

function buildSampleValue(schema: Json, depthLeft: number): Json {
  const choices = getOwnJsonField(schema, 'enum');
  if (isJsonArray(choices) && choices[0] !== undefined) return choices[0];
  const fixed = getOwnJsonField(schema, 'const') ?? getOwnJsonField(schema, 'default');
  if (fixed !== undefined) return fixed;
  return buildTypedSample(schema, depthLeft);
}

function buildTypedSample(schema: Json, depthLeft: number): Json {
  switch (getOwnJsonField(schema, 'type')) {
    case 'number':
    case 'integer':
      return buildSampleNumber(schema);
    case 'boolean':
      return true;
    case 'array':
      return depthLeft > 0 ? [buildSampleValue(getOwnJsonField(schema, 'items') ?? {}, depthLeft - 1)] : [];
    case 'object':
      return depthLeft > 0 ? buildSampleObject(schema, depthLeft) : {};
    default:
      return 'text';
  }
}

function buildSampleNumber(schema: Json): number {
  const minimum = getOwnJsonField(schema, 'minimum');
  return typeof minimum === 'number' && Number.isFinite(minimum) ? Math.max(1, minimum) : 1;
}
