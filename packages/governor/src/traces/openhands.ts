import {
  getJsonPath,
  toOptionalId,
  isJsonObject,
  describeJsonKind,
  toOptionalList,
  toOptionalString,
  toOptionalBoolean,
  toOptionalNumber,
  parseNestedJson,
  type Json,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import {
  getContentText,
  readRunFacts,
  readRunSuccess,
  parseTraceTime,
  parseTraceUsage,
} from './trace-fields.ts';
import type { TraceEntry, TracePart, TraceFormat } from './trace-format.ts';
import { createMessageProblem, createUnknownEntry } from './unknown-records.ts';

/** OpenHands events: actions and observations of its first version, and the events of its SDK. */
export const openhandsFormat: TraceFormat = {
  name: 'openhands',
  sign: 'events with an action and args, an observation and extras, or a kind like ActionEvent (OpenHands)',
  matches: (document) =>
    getOpenhandsEvents(document).events.some(
      (event) => isOpenhandsV0Event(event) || isOpenhandsSdkEvent(event),
    ),
  parse(document, name) {
    const { events, location } = getOpenhandsEvents(document);
    const result = getJsonPath(document, 'test_result', 'report') ?? getJsonPath(document, 'test_result');
    const success = readRunSuccess(document) ?? readRunSuccess(result);
    const model =
      toOptionalString(getJsonPath(document, 'metadata', 'llm_config', 'model')) ??
      toOptionalString(getJsonPath(document, 'model'));
    const facts = {
      ...readRunFacts(document, name, 'openhands'),
      id: toOptionalId(getJsonPath(document, 'instance_id')) ?? name,
      ...(success === undefined ? {} : { success }),
      ...(model === undefined ? {} : { model }),
    };
    return buildRecordedRun(facts, readOpenhandsEntries(events, location));
  },
};

function* readOpenhandsEntries(events: readonly Json[], location: string): Generator<TraceEntry> {
  const calls = collectV0CallIds(events);
  for (const [index, event] of events.entries()) {
    const eventLocation = `${location}[${index}]`;
    if (!isJsonObject(event))
      yield {
        type: 'problem',
        location: eventLocation,
        problem: `expected an event, got ${describeJsonKind(event)}`,
      };
    else if (typeof getJsonPath(event, 'kind') === 'string')
      yield* readOpenhandsSdkEvent(event, eventLocation);
    else yield* readOpenhandsV0Event(event, eventLocation, calls);
  }
}

/** Finds the list of events. Old evaluations store pairs of an action and its observation. */
function getOpenhandsEvents(document: Json): { readonly events: readonly Json[]; readonly location: string } {
  const names = ['history', 'trajectory', 'events'];
  const location =
    toOptionalList(document) === undefined
      ? names.find((name) => toOptionalList(getJsonPath(document, name)) !== undefined)
      : '';
  const found =
    toOptionalList(location === undefined || location === '' ? document : getJsonPath(document, location)) ??
    [];
  return { events: found.flatMap((event) => toOptionalList(event) ?? [event]), location: location ?? '' };
}

const sdkEventKinds: ReadonlySet<Json | undefined> = new Set([
  'ActionEvent',
  'ObservationEvent',
  'AgentErrorEvent',
  'UserRejectObservation',
  'MessageEvent',
  'SystemPromptEvent',
]);

function isOpenhandsSdkEvent(event: Json): boolean {
  return sdkEventKinds.has(getJsonPath(event, 'kind'));
}

/** Events about the program itself. */
const ignoredSdkEvents =
  /^(?:Condensation\w*|Conversation(?:Error|StateUpdate)Event|HookExecutionEvent|InterruptEvent|LLMCompletionLogEvent|LLMConvertibleEvent|PauseEvent|StreamingDeltaEvent|SystemPromptEvent|TokenEvent)$/;

function* readOpenhandsSdkEvent(event: Json, location: string): Generator<TraceEntry> {
  const at = parseTraceTime(getJsonPath(event, 'timestamp'));
  const kind = toOptionalString(getJsonPath(event, 'kind')) ?? '';
  switch (kind) {
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
      if (!ignoredSdkEvents.test(kind)) yield createUnknownEntry(event, location, kind);
  }
}

function readSdkActionParts(event: Json): readonly TracePart[] {
  const thought = toOptionalString(getJsonPath(event, 'reasoning_content')) ?? '';
  const text = getContentText(getJsonPath(event, 'thought'));
  const call = getJsonPath(event, 'tool_call');
  const args = parseNestedJson(getJsonPath(call, 'arguments') ?? getJsonPath(call, 'function', 'arguments'));
  const tool =
    toOptionalString(getJsonPath(event, 'tool_name')) ??
    toOptionalString(getJsonPath(call, 'name')) ??
    'unknown';
  return [
    ...(thought === '' ? [] : [{ type: 'thought', text: thought } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    { type: 'call', id: getSdkCallId(event), tool, args: args ?? omitKind(getJsonPath(event, 'action')) },
  ];
}

function createSdkResult(event: Json, location: string): TraceEntry {
  const observation = getJsonPath(event, 'observation');
  const output =
    toOptionalList(getJsonPath(observation, 'content')) ??
    getJsonPath(observation, 'content') ??
    getJsonPath(observation, 'output');
  return {
    type: 'result',
    id: getSdkCallId(event),
    result: output === undefined ? omitKind(observation) : getContentText(output),
    error: getSdkFailure(observation),
    exitCode: getOpenhandsExitCode(observation),
    location,
  };
}

function getSdkFailure(observation: Json | undefined): boolean | undefined {
  if (typeof getJsonPath(observation, 'error') === 'string') return true;
  return (
    toOptionalBoolean(getJsonPath(observation, 'is_error')) ??
    toOptionalBoolean(getJsonPath(observation, 'error'))
  );
}

/** Returns the exit code of a command. The code -1 stands for a command that is still running. */
function getOpenhandsExitCode(holder: Json | undefined): number | undefined {
  const exitCode =
    toOptionalNumber(getJsonPath(holder, 'metadata', 'exit_code')) ??
    toOptionalNumber(getJsonPath(holder, 'exit_code'));
  return exitCode === -1 ? undefined : exitCode;
}

function getSdkCallId(event: Json): string | undefined {
  return toOptionalId(getJsonPath(event, 'tool_call_id'));
}

function omitKind(value: Json | undefined): Json | undefined {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'kind'));
}

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

function isOpenhandsV0Event(event: Json): boolean {
  const isAction =
    typeof getJsonPath(event, 'action') === 'string' && isJsonObject(getJsonPath(event, 'args'));
  return (
    isAction ||
    (typeof getJsonPath(event, 'observation') === 'string' && isJsonObject(getJsonPath(event, 'extras')))
  );
}

/** Returns the ids of the agent's calls, as opposed to actions of the user or the program itself. */
function collectV0CallIds(events: readonly Json[]): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) => (isV0Call(event) ? (toOptionalId(getJsonPath(event, 'id')) ?? []) : [])),
  );
}

function isV0Call(event: Json): boolean {
  const action = toOptionalString(getJsonPath(event, 'action'));
  return action !== undefined && !silentActions.has(action) && getJsonPath(event, 'source') !== 'user';
}

function* readOpenhandsV0Event(
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
    yield createMessageProblem(event, location, 'an event that is neither an action nor an observation');
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
    error: isError || getV0Failure(event),
    exitCode: getOpenhandsExitCode(getJsonPath(event, 'extras')),
    location,
  };
}

/** The flags of commands repeat the exit code, which says more. */
function getV0Failure(event: Json): boolean | undefined {
  if (getOpenhandsExitCode(getJsonPath(event, 'extras')) !== undefined) return undefined;
  const success = toOptionalBoolean(getJsonPath(event, 'success'));
  return success === undefined ? toOptionalBoolean(getJsonPath(event, 'extras', 'error')) : !success;
}
