import {
  type Json,
  describeJsonKind,
  getJsonPath,
  isJsonObject,
  parseNestedJson,
  toOptionalId,
  toOptionalList,
  toOptionalString,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import { getContentText, getResultContent, parseTraceUsage } from './trace-fields.ts';
import type { TraceEntry, TraceFormat, TraceOutcome, TracePart } from './trace-format.ts';
import { createMessageProblem } from './unknown-records.ts';

/** Sessions of Continue: a history of messages, each with the states of its tool calls. */
export const continueFormat: TraceFormat = {
  name: 'continue',
  sign: 'a history of messages with context items (Continue)',
  matches: (document) => getContinueHistory(document).some(isContinueItem),
  parse(document, name) {
    const history = getContinueHistory(document);
    const model =
      history
        .map((item) => toOptionalString(getJsonPath(item, 'message', 'usage', 'model')))
        .find((found) => found !== undefined) ?? toOptionalString(getJsonPath(document, 'chatModelTitle'));
    const facts = {
      id: toOptionalId(getJsonPath(document, 'sessionId')) ?? name,
      source: 'continue',
      ...(model === undefined ? {} : { model }),
    };
    return buildRecordedRun(facts, readContinueSession(document, history));
  },
};

function getContinueHistory(document: Json): readonly Json[] {
  return toOptionalList(getJsonPath(document, 'history')) ?? [];
}

function isContinueItem(item: Json): boolean {
  return (
    typeof getJsonPath(item, 'message', 'role') === 'string' &&
    toOptionalList(getJsonPath(item, 'contextItems')) !== undefined
  );
}

/** Only newer versions count the tokens of each reply; older ones have a total, if any. */
function* readContinueSession(document: Json, history: readonly Json[]): Generator<TraceEntry> {
  for (const [index, item] of history.entries()) yield* readContinueItem(item, `history[${index}]`);
  const usage = parseTraceUsage(getJsonPath(document, 'usage'));
  if (usage !== undefined && (usage.input ?? 0) + (usage.output ?? 0) > 0) yield { type: 'total', usage };
}

function* readContinueItem(item: Json, location: string): Generator<TraceEntry> {
  const message = getJsonPath(item, 'message');
  const role = getJsonPath(message, 'role');
  const content = getJsonPath(message, 'content');
  const text = getContentText(content);
  if (role === 'user') yield { type: 'user', text };
  else if (role === 'assistant') {
    const usage = parseTraceUsage(getJsonPath(message, 'usage'));
    yield { type: 'reply', parts: readContinueReplyParts(item, text), usage };
  } else if (role === 'thinking') yield { type: 'reply', parts: [{ type: 'thought', text }] };
  else if (role === 'tool') {
    yield {
      type: 'result',
      id: toOptionalId(getJsonPath(message, 'toolCallId')),
      result: getResultContent(content),
      error: undefined,
      location,
      // The state of the call also holds its result.
      repeated: true,
    };
  } else if (role !== 'system')
    yield createMessageProblem(
      item,
      location,
      isJsonObject(item)
        ? 'a message of an unknown role'
        : `expected a message, got ${describeJsonKind(item)}`,
    );
}

function readContinueReplyParts(item: Json, text: string): readonly TracePart[] {
  const states = toOptionalList(getJsonPath(item, 'toolCallStates')) ?? [
    getJsonPath(item, 'toolCallState') ?? null,
  ];
  const calls = toOptionalList(getJsonPath(item, 'message', 'toolCalls')) ?? [];
  const thought = toOptionalString(getJsonPath(item, 'reasoning', 'text')) ?? '';
  return [
    ...(thought === '' ? [] : [{ type: 'thought', text: thought } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map((call): TracePart => {
      const id = toOptionalId(getJsonPath(call, 'id'));
      const state = states.find((each) => getJsonPath(each, 'toolCallId') === id);
      const outcome = readContinueOutcome(state);
      return {
        type: 'call',
        id,
        tool: toOptionalString(getJsonPath(call, 'function', 'name')) ?? 'unknown',
        args: getJsonPath(state, 'parsedArgs') ?? parseNestedJson(getJsonPath(call, 'function', 'arguments')),
        ...(outcome === undefined ? {} : { outcome }),
      };
    }),
  ];
}

const continueFailures: Readonly<Record<string, boolean>> = { done: false, errored: true, canceled: true };

/** The output is a list of context items; in older versions a later message holds the result. */
function readContinueOutcome(state: Json | undefined): TraceOutcome | undefined {
  const status = toOptionalString(getJsonPath(state, 'status')) ?? '';
  const error = Object.hasOwn(continueFailures, status) ? continueFailures[status] : undefined;
  const output = toOptionalList(getJsonPath(state, 'output'));
  if (output === undefined && error !== true) return undefined;
  return { result: getContentText(output ?? []), error };
}
