import type { Json, RequestedCall } from '@pawl/core';
import { findNearestName } from '../text/nearest-name.ts';
import { formatShortValue } from '../text/one-line.ts';
import type { ToolDescription } from '../tools/tool.ts';
import { parseToolCall } from './arguments.ts';
import type { ReplyProblem } from './decision.ts';
import { getOwnJsonField, normalizeFieldName } from './json-fields.ts';
import type { JsonReader } from './json-reader.ts';
import { listParameters, type ToolParameter } from './parameters.ts';
import type { FieldText } from './xml-leaf.ts';

type ParsedXmlAction = { readonly call?: RequestedCall; readonly problems: readonly ReplyProblem[] };

/** Converts an action into a call of the tool that its type names, with values parsed by the tool's schema. */
export function parseXmlAction(
  fields: ReadonlyMap<string, FieldText>,
  tools: readonly ToolDescription[],
  reader: JsonReader,
): ParsedXmlAction {
  const type = fields.get('type')?.trimmed ?? '';
  const tool = tools.find(({ name }) => name === type);
  if (tool === undefined) return { problems: [createUnknownActionProblem(type, tools)] };
  const { args, problems } = parseXmlFields(fields, tool, reader);
  if (problems.length > 0) return { problems };
  const { call, problem } = parseToolCall({ tool: type, args }, '<action>', reader);
  return call === undefined ? { problems: [problem] } : { call, problems: [] };
}

function parseXmlFields(fields: ReadonlyMap<string, FieldText>, tool: ToolDescription, reader: JsonReader) {
  const parameters = new Map(
    listParameters(tool).map((parameter) => [normalizeFieldName(parameter.name), parameter]),
  );
  const problems: ReplyProblem[] = [];
  const args: [string, Json][] = [];
  for (const [name, text] of fields) {
    const parameter = parameters.get(name);
    const value = parameter === undefined ? undefined : parseFieldValue(text, parameter, reader);
    if (name === 'type') continue;
    if (parameter === undefined) problems.push(createUnknownParameterProblem(name, tool.name, parameters));
    else if (value === undefined) problems.push(createTypeMismatchProblem(parameter, tool.name));
    else args.push([parameter.name, value]);
  }
  const missing = [...parameters].filter(([name, { isRequired }]) => isRequired && !fields.has(name));
  problems.push(...missing.map(([, parameter]) => createMissingParameterProblem(parameter, tool.name)));
  return { args: Object.fromEntries(args), problems };
}

/** Parses the text as the parameter's JSON type; undefined if it does not match. */
function parseFieldValue(
  { text, trimmed }: FieldText,
  parameter: ToolParameter,
  reader: JsonReader,
): Json | undefined {
  switch (parameter.type) {
    case 'number':
    case 'integer':
      return /^-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/i.test(trimmed) ? Number(trimmed) : undefined;
    case 'boolean':
      return /^(?:true|false)$/i.test(trimmed) ? trimmed.toLowerCase() === 'true' : undefined;
    case 'null':
      return null;
    case 'object':
      return reader(trimmed)?.value;
    case 'array':
      return parseListValue(trimmed, parameter, reader);
    default:
      // The `tags` parameter contains names, so whitespace around it is only layout.
      return normalizeFieldName(parameter.name) === 'tags' ? trimmed : text;
  }
}

/** A list of strings may also be comma-separated. */
function parseListValue(text: string, { schema }: ToolParameter, reader: JsonReader): Json | undefined {
  if (text.startsWith('[')) return reader(text)?.value;
  const type = getOwnJsonField(getOwnJsonField(schema, 'items'), 'type');
  if (type !== undefined && type !== 'string') return undefined;
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function createUnknownActionProblem(type: string, tools: readonly ToolDescription[]): ReplyProblem {
  const names = tools.map(({ name }) => name);
  const location = '<type>';
  const hint = names.length === 0 ? 'Do not give an action now.' : `The actions are: ${names.join(', ')}.`;
  if (type === '') return { problem: 'the action has no type', location, hint };
  const nearest = findNearestName(type, names, 3);
  const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return { problem: `there is no action ${formatShortValue(type)}`, location, hint: `${hint}${suggestion}` };
}

function createUnknownParameterProblem(
  name: string,
  type: string,
  parameters: ReadonlyMap<string, ToolParameter>,
): ReplyProblem {
  const names = [...parameters.values()].map((parameter) => parameter.name).join(', ');
  return {
    problem: `${type} has no parameter ${formatShortValue(name)}`,
    location: `<${name}>`,
    hint: names === '' ? 'Leave it out.' : `Its parameters are: ${names}.`,
  };
}

function createTypeMismatchProblem({ name, type }: ToolParameter, action: string): ReplyProblem {
  return {
    problem: `${name} of ${action} must be of type ${type}`,
    location: `<${name}>`,
    hint: `Write a JSON value of the type ${type}.`,
  };
}

function createMissingParameterProblem({ name }: ToolParameter, type: string): ReplyProblem {
  return { problem: `${type} needs ${name}`, location: '<action>', hint: `Add <${name}>…</${name}>.` };
}
