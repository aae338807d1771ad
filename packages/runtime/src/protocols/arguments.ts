import type { Json, RequestedCall, JsonObject } from '@pawl/core';
import { anyJsonSchema, payloadDepthMax } from '../schema/json-value.ts';
import { toPrintableLine } from '../schema/one-line.ts';
import type { ReplyProblem } from './decision.ts';
import { isJsonObject } from './json-fields.ts';
import { scanJsonSegment } from './json-segments.ts';
import type { JsonReader } from './json-reader.ts';
import { createScanSource } from './scan-source.ts';

/** A parsed call, or the problem that prevented it. */
export type ParsedCall =
  | { readonly call: RequestedCall; readonly problem?: undefined }
  | { readonly call?: undefined; readonly problem: ReplyProblem };

/** Builds a call from what a model wrote. Arguments may be an object, its JSON in a string, or absent. */
export function parseToolCall(
  {
    id,
    tool,
    args,
  }: { readonly id?: string | undefined; readonly tool: string; readonly args: Json | undefined },
  where: string,
  reader: JsonReader,
): ParsedCall {
  if (tool.trim() === '') {
    const what = 'a call does not say which tool it is for';
    return { problem: { what, where, hint: 'Name the tool.' } };
  }
  const read = parseToolArguments(args, reader);
  if ('why' in read) {
    const hint = 'Send the arguments as one complete, valid JSON object.';
    return {
      problem: { what: `the arguments of ${toPrintableLine(tool.trim(), 60)} ${read.why}`, where, hint },
    };
  }
  return { call: { ...(id !== undefined && id !== '' && { id }), tool: tool.trim(), args: read.args } };
}

type ParsedArguments = { readonly args: JsonObject } | { readonly why: string };

function parseToolArguments(args: Json | undefined, reader: JsonReader): ParsedArguments {
  if (args === undefined || args === null || args === '') return { args: {} };
  if (typeof args === 'string') return parseArgumentsText(args, reader);
  return validateArguments(args);
}

/** Some models encode the arguments twice; deeper nesting is not supported. */
function parseArgumentsText(text: string, reader: JsonReader, left = 1): ParsedArguments {
  const source = createScanSource(text.trim());
  const read = reader(source.text);
  if (read !== null && !read.isRepaired) {
    return typeof read.value === 'string' && left > 0
      ? parseArgumentsText(read.value, reader, left - 1)
      : validateArguments(read.value);
  }
  if (!source.text.startsWith('{')) return { why: 'are not a JSON object' };
  const { ending, end } = scanJsonSegment(source, 0);
  if (ending === 'cut') return { why: 'break off before their last bracket' };
  if (read === null || end !== source.length) return { why: 'are not valid JSON' };
  return validateArguments(read.value);
}

function validateArguments(value: Json): ParsedArguments {
  if (!isJsonObject(value)) return { why: 'are not a JSON object' };
  if (anyJsonSchema.safeParse(value).success) return { args: value };
  return { why: `hold what JSON cannot, or are nested deeper than ${payloadDepthMax} levels` };
}
