import { isJsonObject } from '@pawl/governor/json';
import type { Json, RequestedCall, JsonObject } from '@pawl/core';
import { anyJsonSchema, payloadDepthMax } from '../schema/json-value.ts';
import { toPrintableLine } from '../text/one-line.ts';
import type { ReplyProblem } from './decision.ts';
import { type JsonReader, scanJsonSegment } from './json-reader.ts';
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
  location: string,
  reader: JsonReader,
): ParsedCall {
  if (tool.trim() === '') {
    const problem = 'a call does not name a tool';
    return { problem: { problem, location, hint: 'Name the tool.' } };
  }
  const parsed = parseToolArguments(args, reader);
  if ('problem' in parsed) {
    const hint = 'Send the arguments as one complete, valid JSON object.';
    return {
      problem: {
        problem: `the arguments of ${toPrintableLine(tool.trim(), 60)} ${parsed.problem}`,
        location,
        hint,
      },
    };
  }
  return { call: { ...(id !== undefined && id !== '' && { id }), tool: tool.trim(), args: parsed.args } };
}

type ParsedArguments = { readonly args: JsonObject } | { readonly problem: string };

function parseToolArguments(args: Json | undefined, reader: JsonReader): ParsedArguments {
  if (args === undefined || args === null || args === '') return { args: {} };
  if (typeof args === 'string') return parseArgumentsText(args, reader);
  return validateArguments(args);
}

/** Some models encode the arguments twice; deeper nesting is not supported. */
function parseArgumentsText(text: string, reader: JsonReader, depthLeft = 1): ParsedArguments {
  const source = createScanSource(text.trim());
  const parsed = reader(source.text);
  if (parsed !== null && !parsed.isRepaired) {
    return typeof parsed.value === 'string' && depthLeft > 0
      ? parseArgumentsText(parsed.value, reader, depthLeft - 1)
      : validateArguments(parsed.value);
  }
  if (!source.text.startsWith('{')) return { problem: 'are not a JSON object' };
  const { ending, end } = scanJsonSegment(source, 0);
  if (ending === 'cut') return { problem: 'are cut off before the closing bracket' };
  if (parsed === null || end !== source.length) return { problem: 'are not valid JSON' };
  return validateArguments(parsed.value);
}

function validateArguments(value: Json): ParsedArguments {
  if (!isJsonObject(value)) return { problem: 'are not a JSON object' };
  if (anyJsonSchema.safeParse(value).success) return { args: value };
  return {
    problem: `contain values that JSON does not allow, or are nested deeper than ${payloadDepthMax} levels`,
  };
}
