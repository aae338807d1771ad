import type { Json, RequestedCall } from '@pawl/core';
import { anyJson, depthMax } from '../schema/json-value.ts';
import { oneLine } from '../schema/one-line.ts';
import type { Problem } from './decision.ts';
import { isObject, type JsonObject } from './fields.ts';
import { scan } from './json-find.ts';
import type { JsonReader } from './json-read.ts';
import { sourceOf } from './source.ts';

/** A call, or why there is none. */
export type ReadCall =
  | { readonly call: RequestedCall; readonly problem?: undefined }
  | { readonly call?: undefined; readonly problem: Problem };

/** Makes a call of what a model wrote for it. Arguments come as an object, as its JSON in a string, or not at all. */
export function readCall(
  {
    id,
    tool,
    args,
  }: { readonly id?: string | undefined; readonly tool: string; readonly args: Json | undefined },
  where: string,
  reader: JsonReader,
): ReadCall {
  if (tool.trim() === '') {
    const what = 'a call does not say which tool it is for';
    return { problem: { what, where, hint: 'Name the tool.' } };
  }
  const read = readArguments(args, reader);
  if ('why' in read) {
    const hint = 'Send the arguments as one complete, valid JSON object.';
    return { problem: { what: `the arguments of ${oneLine(tool.trim(), 60)} ${read.why}`, where, hint } };
  }
  return { call: { ...(id !== undefined && id !== '' && { id }), tool: tool.trim(), args: read.args } };
}

type ReadArguments = { readonly args: JsonObject } | { readonly why: string };

function readArguments(args: Json | undefined, reader: JsonReader): ReadArguments {
  if (args === undefined || args === null || args === '') return { args: {} };
  if (typeof args === 'string') return fromText(args, reader);
  return whole(args);
}

/** Some write the JSON of the JSON; further than that nobody goes. */
function fromText(text: string, reader: JsonReader, left = 1): ReadArguments {
  const source = sourceOf(text.trim());
  const read = reader(source.text);
  if (read !== null && !read.isRepaired) {
    return typeof read.value === 'string' && left > 0
      ? fromText(read.value, reader, left - 1)
      : whole(read.value);
  }
  if (!source.text.startsWith('{')) return { why: 'are not a JSON object' };
  const { ending, end } = scan(source, 0);
  if (ending === 'cut') return { why: 'break off before their last bracket' };
  if (read === null || end !== source.length) return { why: 'are not valid JSON' };
  return whole(read.value);
}

function whole(value: Json): ReadArguments {
  if (!isObject(value)) return { why: 'are not a JSON object' };
  if (anyJson.safeParse(value).success) return { args: value };
  return { why: `hold what JSON cannot, or are nested deeper than ${depthMax} levels` };
}
