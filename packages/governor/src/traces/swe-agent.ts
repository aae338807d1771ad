import {
  type Json,
  getJsonPath,
  toOptionalCount,
  toOptionalId,
  isJsonObject,
  describeJsonKind,
  toOptionalList,
  toOptionalString,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import { getContentText, getResultContent, readRunSuccess } from './trace-fields.ts';
import type { TraceEntry, TracePart, TraceFormat } from './trace-format.ts';
import { readChatCallParts } from './openai-chat.ts';
import { createMessageProblem, createUnknownEntry } from './unknown-records.ts';

/**
 * SWE-agent trajectories: a list of turns, each with the model's response, its action and the observation. The history
 * is read only if there is no trajectory. Neither marks failed actions.
 */
export const sweAgentFormat: TraceFormat = {
  name: 'swe-agent',
  sign: 'a trajectory of actions and observations, or a history with message types (SWE-agent)',
  matches: (document) =>
    getSweTurns(document).some(isSweTurn) || getSweHistory(document).some(isSweHistoryItem),
  parse(document, name) {
    const turns = getSweTurns(document);
    const info = getJsonPath(document, 'info');
    const [exit, success] = [
      toOptionalString(getJsonPath(info, 'exit_status')),
      readRunSuccess(document) ?? readRunSuccess(info),
    ];
    const facts = {
      id: toOptionalId(getJsonPath(document, 'instance_id')) ?? name,
      source: 'swe-agent',
      ...(exit === undefined ? {} : { exit }),
      ...(success === undefined ? {} : { success }),
    };
    return buildRecordedRun(facts, [
      ...(turns.length > 0 ? readSweTurns(turns) : readSweHistory(getSweHistory(document))),
      ...readSweUsage(getJsonPath(info, 'model_stats')),
    ]);
  },
};

/** SWE-agent counts the tokens of a run only. */
function readSweUsage(stats: Json | undefined): readonly TraceEntry[] {
  const [output, input] = ['tokens_received', 'tokens_sent'].map((name) =>
    toOptionalCount(getJsonPath(stats, name)),
  );
  return (output ?? 0) + (input ?? 0) === 0 ? [] : [{ type: 'total', usage: { output, input } }];
}

function getSweTurns(document: Json): readonly Json[] {
  return toOptionalList(getJsonPath(document, 'trajectory')) ?? [];
}

function getSweHistory(document: Json): readonly Json[] {
  return toOptionalList(getJsonPath(document, 'history')) ?? [];
}

function isSweTurn(turn: Json): boolean {
  const isAction = typeof getJsonPath(turn, 'action') === 'string' && getJsonPath(turn, 'args') === undefined;
  return (
    isAction &&
    ['observation', 'response', 'thought'].some((name) => typeof getJsonPath(turn, name) === 'string')
  );
}

function isSweHistoryItem(item: Json): boolean {
  return (
    typeof getJsonPath(item, 'role') === 'string' && typeof getJsonPath(item, 'message_type') === 'string'
  );
}

function* readSweTurns(turns: readonly Json[]): Generator<TraceEntry> {
  for (const [index, turn] of turns.entries()) {
    const location = `trajectory[${index}]`;
    if (!isJsonObject(turn))
      yield { type: 'problem', location, problem: `expected a turn, got ${describeJsonKind(turn)}` };
    else if (typeof getJsonPath(turn, 'action') !== 'string')
      yield createUnknownEntry(turn, location, 'turn without an action');
    else {
      const outcome = { result: getJsonPath(turn, 'observation'), error: undefined };
      const text =
        toOptionalString(getJsonPath(turn, 'thought')) ||
        toOptionalString(getJsonPath(turn, 'response')) ||
        '';
      const command = createSweCall(getJsonPath(turn, 'action'));
      const parts: readonly TracePart[] = [
        { type: 'text', text },
        ...(command === null ? [] : [{ ...command, outcome }]),
      ];
      yield { type: 'reply', parts, outcome };
    }
  }
}

function* readSweHistory(items: readonly Json[]): Generator<TraceEntry> {
  for (const [index, item] of items.entries()) {
    // Demonstrations precede the run itself.
    if (getJsonPath(item, 'is_demo') !== true) yield* readSweHistoryItem(item, `history[${index}]`);
  }
}

function* readSweHistoryItem(item: Json, location: string): Generator<TraceEntry> {
  const role = getJsonPath(item, 'role');
  const content = getJsonPath(item, 'content');
  const isObserved = role === 'tool' || getJsonPath(item, 'message_type') === 'observation';
  if (role === 'assistant') {
    const command = createSweCall(getJsonPath(item, 'action'));
    const calls = readChatCallParts(item);
    const text = toOptionalString(getJsonPath(item, 'thought')) || getContentText(content);
    const called = calls.length > 0 || command === null ? calls : [command];
    yield { type: 'reply', parts: [{ type: 'text', text }, ...called] };
  } else if (isObserved) {
    yield {
      type: 'result',
      id: getSweCallId(item),
      result: removeObservationLabel(getResultContent(content)),
      error: undefined,
      location,
    };
  } else if (role === 'user') yield { type: 'user', text: getContentText(content) };
  else if (role !== 'system') yield createMessageProblem(item, location, 'a message of an unknown role');
}

/** The history labels what the trajectory holds as it is. */
function removeObservationLabel(result: Json | undefined): Json | undefined {
  return typeof result === 'string' ? result.replace(/^OBSERVATION:\n/, '') : result;
}

/** Returns the id of the call that an observation answers, if calls have ids. */
function getSweCallId(item: Json): string | undefined {
  const ids = toOptionalList(getJsonPath(item, 'tool_call_ids')) ?? [];
  return toOptionalId(ids[0]) ?? toOptionalId(getJsonPath(item, 'tool_call_id'));
}

function createSweCall(action: Json | undefined): Extract<TracePart, { type: 'call' }> | null {
  if (typeof action !== 'string' || action.trim() === '') return null;
  return { type: 'call', tool: 'bash', args: { command: action.trimEnd() } };
}
