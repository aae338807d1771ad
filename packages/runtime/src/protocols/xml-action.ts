import type { Json, RequestedCall } from '@pawl/core';
import { nearest } from '../nearest.ts';
import { shown } from '../schema/one-line.ts';
import type { ToolDescription } from '../tools/tool.ts';
import { readCall } from './arguments.ts';
import type { Problem } from './decision.ts';
import { own, plainName } from './fields.ts';
import type { JsonReader } from './json-read.ts';
import { parametersOf, type Parameter } from './parameters.ts';
import type { FieldText } from './xml-leaf.ts';

type ReadAction = { readonly call?: RequestedCall; readonly problems: readonly Problem[] };

/** Turns an action into a call of the tool that its type names. Its text becomes what the tool's schema asks for. */
export function readAction(
  fields: ReadonlyMap<string, FieldText>,
  tools: readonly ToolDescription[],
  reader: JsonReader,
): ReadAction {
  const type = fields.get('type')?.trimmed ?? '';
  const tool = tools.find(({ name }) => name === type);
  if (tool === undefined) return { problems: [noTool(type, tools)] };
  const { args, problems } = readFields(fields, tool, reader);
  if (problems.length > 0) return { problems };
  const { call, problem } = readCall({ tool: type, args }, '<action>', reader);
  return call === undefined ? { problems: [problem] } : { call, problems: [] };
}

function readFields(fields: ReadonlyMap<string, FieldText>, tool: ToolDescription, reader: JsonReader) {
  const parameters = new Map(parametersOf(tool).map((parameter) => [plainName(parameter.name), parameter]));
  const problems: Problem[] = [];
  const args: [string, Json][] = [];
  for (const [name, text] of fields) {
    const parameter = parameters.get(name);
    const value = parameter === undefined ? undefined : valueOf(text, parameter, reader);
    if (name === 'type') continue;
    if (parameter === undefined) problems.push(unknown(name, tool.name, parameters));
    else if (value === undefined) problems.push(unfit(parameter, tool.name));
    else args.push([parameter.name, value]);
  }
  const missing = [...parameters].filter(([name, { isRequired }]) => isRequired && !fields.has(name));
  problems.push(...missing.map(([, parameter]) => absent(parameter, tool.name)));
  return { args: Object.fromEntries(args), problems };
}

/** The text as the JSON type that the parameter has; undefined when it cannot be one. */
function valueOf({ text, trimmed }: FieldText, parameter: Parameter, reader: JsonReader): Json | undefined {
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
      return listOf(trimmed, parameter, reader);
    default:
      // Tags name things; white space around them is only layout.
      return plainName(parameter.name) === 'tags' ? trimmed : text;
  }
}

/** A list of texts may also be written with commas. */
function listOf(text: string, { schema }: Parameter, reader: JsonReader): Json | undefined {
  if (text.startsWith('[')) return reader(text)?.value;
  const type = own(own(schema, 'items'), 'type');
  if (type !== undefined && type !== 'string') return undefined;
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function noTool(type: string, tools: readonly ToolDescription[]): Problem {
  const names = tools.map(({ name }) => name);
  const where = '<type>';
  const hint = names.length === 0 ? 'Give no action now.' : `The actions are: ${names.join(', ')}.`;
  if (type === '') return { what: 'the action has no type', where, hint };
  const close = nearest(type, names, 3);
  const guess = close === undefined ? '' : ` Did you mean ${close}?`;
  return { what: `there is no action ${shown(type)}`, where, hint: `${hint}${guess}` };
}

function unknown(name: string, type: string, parameters: ReadonlyMap<string, Parameter>): Problem {
  const names = [...parameters.values()].map((parameter) => parameter.name).join(', ');
  return {
    what: `${type} has no parameter ${shown(name)}`,
    where: `<${name}>`,
    hint: names === '' ? 'Leave it out.' : `Its parameters are: ${names}.`,
  };
}

function unfit({ name, type }: Parameter, action: string): Problem {
  return {
    what: `${name} of ${action} is not what it must be: ${type}`,
    where: `<${name}>`,
    hint: `Write a JSON value of the type ${type}.`,
  };
}

function absent({ name }: Parameter, type: string): Problem {
  return { what: `${type} needs ${name}`, where: '<action>', hint: `Add <${name}>…</${name}>.` };
}
