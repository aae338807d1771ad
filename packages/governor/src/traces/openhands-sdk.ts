import type { Json } from '../json.ts';
import { getContentText } from './content.ts';
import type { TraceEntry, TracePart } from './trace-entry.ts';
import { hasCommandFailed } from './exit-code.ts';
import {
  toOptionalBoolean,
  getJsonPath,
  toOptionalId,
  isJsonObject,
  toOptionalList,
  toOptionalNumber,
  toOptionalString,
  parseNestedJson,
} from '../json-fields.ts';
import { parseTraceTime } from './trace-time.ts';

const sdkEventKinds: ReadonlySet<Json | undefined> = new Set([
  'ActionEvent',
  'ObservationEvent',
  'AgentErrorEvent',
  'UserRejectObservation',
  'MessageEvent',
  'SystemPromptEvent',
]);

export function isOpenhandsSdkEvent(event: Json): boolean {
  return sdkEventKinds.has(getJsonPath(event, 'kind'));
}

/** Events about the program itself, such as state changes or condensations, are ignored. */
export function* readOpenhandsSdkEvent(event: Json, location: string): Generator<TraceEntry> {
  const at = parseTraceTime(getJsonPath(event, 'timestamp'));
  switch (getJsonPath(event, 'kind')) {
    case 'MessageEvent': {
      const text = getContentText(getJsonPath(event, 'llm_message', 'content'));
      if (getJsonPath(event, 'source') === 'user') yield { type: 'user', text, at };
      else yield { type: 'reply', parts: [{ type: 'text', text }], at };
      return;
    }
    case 'ActionEvent':
      yield {
        type: 'reply',
        parts: readSdkActionParts(event),
        key: toOptionalId(getJsonPath(event, 'llm_response_id')),
        at,
      };
      return;
    case 'ObservationEvent':
      yield createSdkResult(event, location);
      return;
    case 'AgentErrorEvent':
      yield {
        type: 'result',
        id: getSdkCallId(event),
        result: getJsonPath(event, 'error'),
        error: true,
        location,
      };
      return;
    case 'UserRejectObservation':
      yield {
        type: 'result',
        id: getSdkCallId(event),
        result: getJsonPath(event, 'rejection_reason'),
        error: true,
        location,
      };
      return;
    default:
  }
}

function readSdkActionParts(event: Json): readonly TracePart[] {
  const thought = toOptionalString(getJsonPath(event, 'reasoning_content')) ?? '';
  const text = getContentText(getJsonPath(event, 'thought'));
  const call = getJsonPath(event, 'tool_call');
  const given = parseNestedJson(getJsonPath(call, 'arguments') ?? getJsonPath(call, 'function', 'arguments'));
  const tool =
    toOptionalString(getJsonPath(event, 'tool_name')) ??
    toOptionalString(getJsonPath(call, 'name')) ??
    'unknown';
  return [
    ...(thought === '' ? [] : [{ type: 'thought', text: thought } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    { type: 'call', id: getSdkCallId(event), tool, args: given ?? omitKind(getJsonPath(event, 'action')) },
  ];
}

function createSdkResult(event: Json, location: string): TraceEntry {
  const observation = getJsonPath(event, 'observation');
  const output =
    toOptionalList(getJsonPath(observation, 'content')) ??
    getJsonPath(observation, 'content') ??
    getJsonPath(observation, 'output');
  const result = output === undefined ? omitKind(observation) : getContentText(output);
  const text = typeof result === 'string' ? result : '';
  return {
    type: 'result',
    id: getSdkCallId(event),
    result,
    error: getSdkFailure(observation, text),
    location,
  };
}

function getSdkFailure(observation: Json | undefined, output: string): boolean | undefined {
  const exitCode =
    toOptionalNumber(getJsonPath(observation, 'exit_code')) ??
    toOptionalNumber(getJsonPath(observation, 'metadata', 'exit_code'));
  const flag =
    toOptionalBoolean(getJsonPath(observation, 'is_error')) ??
    toOptionalBoolean(getJsonPath(observation, 'error'));
  if (flag === true || typeof getJsonPath(observation, 'error') === 'string') return true;
  // Exit code -1 stands for a command that is still running.
  if (exitCode !== undefined && exitCode !== -1) return hasCommandFailed(exitCode, output);
  return flag;
}

function getSdkCallId(event: Json): string | undefined {
  return toOptionalId(getJsonPath(event, 'tool_call_id'));
}

function omitKind(value: Json | undefined): Json | undefined {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'kind'));
}
