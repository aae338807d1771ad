import type { Json } from '../json.ts';
import type { TraceEntry } from './trace-entry.ts';
import { hasCommandFailed } from './exit-code.ts';
import {
  toOptionalBoolean,
  getJsonPath,
  toOptionalId,
  isJsonObject,
  toOptionalNumber,
  toOptionalString,
} from '../json-fields.ts';
import { parseTraceTime } from './trace-time.ts';
import { parseTraceUsage } from './trace-usage.ts';

/** Actions that call no tool. */
const silentActions: ReadonlySet<string> = new Set([
  'message',
  'system',
  'null',
  'recall',
  'change_agent_state',
  'condensation',
  'condensation_request',
  'loop_recovery',
  'start',
  'pause',
  'resume',
  'stop',
]);

/** Arguments that are metadata and not part of the call. */
const contextArgumentNames: ReadonlySet<string> = new Set([
  'thought',
  'blocking',
  'hidden',
  'is_static',
  'is_input',
  'confirmation_state',
  'is_confirmed',
  'security_risk',
]);

export function isOpenhandsV0Event(event: Json): boolean {
  const isAction =
    typeof getJsonPath(event, 'action') === 'string' && isJsonObject(getJsonPath(event, 'args'));
  return (
    isAction ||
    (typeof getJsonPath(event, 'observation') === 'string' && isJsonObject(getJsonPath(event, 'extras')))
  );
}

/** Returns the ids of the agent's calls, as opposed to actions of the user or the program itself. */
export function collectV0CallIds(events: readonly Json[]): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) => (isV0Call(event) ? (toOptionalId(getJsonPath(event, 'id')) ?? []) : [])),
  );
}

function isV0Call(event: Json): boolean {
  const action = toOptionalString(getJsonPath(event, 'action'));
  return action !== undefined && !silentActions.has(action) && getJsonPath(event, 'source') !== 'user';
}

export function* readOpenhandsV0Event(
  event: Json,
  location: string,
  calls: ReadonlySet<string>,
): Generator<TraceEntry> {
  const at = parseTraceTime(getJsonPath(event, 'timestamp'));
  if (typeof getJsonPath(event, 'observation') === 'string') yield* readV0Observation(event, location, calls);
  else if (isV0Call(event)) yield createV0CallEntry(event, at);
  else if (getJsonPath(event, 'action') === 'message') {
    const text =
      toOptionalString(getJsonPath(event, 'args', 'content')) ??
      toOptionalString(getJsonPath(event, 'message')) ??
      '';
    if (getJsonPath(event, 'source') === 'user') yield { type: 'user', text, at };
    else yield { type: 'reply', parts: [{ type: 'text', text }], at };
  } else if (typeof getJsonPath(event, 'action') !== 'string') {
    yield { type: 'problem', location, problem: 'an event that is neither an action nor an observation' };
  }
}

function createV0CallEntry(event: Json, at: number | undefined): TraceEntry {
  const metadata = getJsonPath(event, 'tool_call_metadata');
  const tool =
    toOptionalString(getJsonPath(metadata, 'function_name')) ??
    toOptionalString(getJsonPath(event, 'action')) ??
    'unknown';
  const thought = getJsonPath(event, 'args', 'thought');
  const text = toOptionalString(thought) ?? toOptionalString(getJsonPath(thought, 'text')) ?? '';
  const response = getJsonPath(metadata, 'model_response');
  return {
    type: 'reply',
    parts: [
      ...(text === '' ? [] : [{ type: 'text', text } as const]),
      {
        type: 'call',
        id: toOptionalId(getJsonPath(event, 'id')),
        tool,
        args: omitContextArguments(getJsonPath(event, 'args')),
      },
    ],
    // Each call of a reply carries the whole reply.
    key: toOptionalId(getJsonPath(response, 'id')),
    usage: parseTraceUsage(getJsonPath(response, 'usage')),
    at,
  };
}

function omitContextArguments(args: Json | undefined): Json | undefined {
  if (!isJsonObject(args)) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => !contextArgumentNames.has(name)));
}

function* readV0Observation(
  event: Json,
  location: string,
  calls: ReadonlySet<string>,
): Generator<TraceEntry> {
  const id = toOptionalId(getJsonPath(event, 'cause'));
  const isError = getJsonPath(event, 'observation') === 'error';
  // Ignore observations that no call of the agent caused.
  if (id === undefined ? !isError : !calls.has(id)) return;
  const result = getJsonPath(event, 'content');
  yield {
    type: 'result',
    id,
    result,
    error: isError || getV0Failure(event, toOptionalString(result) ?? ''),
    location,
  };
}

function getV0Failure(event: Json, output: string): boolean | undefined {
  const extras = getJsonPath(event, 'extras');
  const exitCode =
    toOptionalNumber(getJsonPath(extras, 'metadata', 'exit_code')) ??
    toOptionalNumber(getJsonPath(extras, 'exit_code'));
  // Exit code -1 stands for a command that is still running.
  if (exitCode !== undefined && exitCode !== -1) return hasCommandFailed(exitCode, output);
  const success = toOptionalBoolean(getJsonPath(event, 'success'));
  return success === undefined ? toOptionalBoolean(getJsonPath(extras, 'error')) : !success;
}
