import type { Json } from '../json.ts';
import { buildRun } from './build-run.ts';
import { contentText, resultOf } from './content.ts';
import type { Entry, Part } from './entry.ts';
import { get, idOf, isObject, kindOf, listOf, stringOf } from '../json-fields.ts';
import { callParts } from './openai-chat.ts';
import { successOf } from './run-facts.ts';
import type { TraceFormat } from './trace-format.ts';

/**
 * Trajectories of SWE-agent: a list of turns, each with the model's response, the action in it and what was observed.
 * The history is read only where there is no trajectory. Nothing in either marks a failed action.
 */
export const sweAgent: TraceFormat = {
  name: 'swe-agent',
  sign: 'a trajectory of actions and observations, or a history with message types (SWE-agent)',
  recognise: (document) => turnsOf(document).some(isTurn) || historyOf(document).some(isHistoryItem),
  parse(document, name) {
    const turns = turnsOf(document);
    const info = get(document, 'info');
    const [exit, success] = [stringOf(get(info, 'exit_status')), successOf(document) ?? successOf(info)];
    const facts = {
      id: idOf(get(document, 'instance_id')) ?? name,
      source: 'swe-agent',
      ...(exit === undefined ? {} : { exit }),
      ...(success === undefined ? {} : { success }),
    };
    return buildRun(facts, turns.length > 0 ? turnEntries(turns) : historyEntries(historyOf(document)));
  },
};

function turnsOf(document: Json): readonly Json[] {
  return listOf(get(document, 'trajectory')) ?? [];
}

function historyOf(document: Json): readonly Json[] {
  return listOf(get(document, 'history')) ?? [];
}

function isTurn(turn: Json): boolean {
  const isAction = typeof get(turn, 'action') === 'string' && get(turn, 'args') === undefined;
  return (
    isAction && ['observation', 'response', 'thought'].some((name) => typeof get(turn, name) === 'string')
  );
}

function isHistoryItem(item: Json): boolean {
  return typeof get(item, 'role') === 'string' && typeof get(item, 'message_type') === 'string';
}

function* turnEntries(turns: readonly Json[]): Generator<Entry> {
  for (const [index, turn] of turns.entries()) {
    const where = `trajectory[${index}]`;
    if (!isObject(turn)) yield { type: 'problem', where, problem: `expected a turn, got ${kindOf(turn)}` };
    else {
      const outcome = { result: get(turn, 'observation'), error: undefined };
      const text = stringOf(get(turn, 'thought')) || stringOf(get(turn, 'response')) || '';
      const command = commandPart(get(turn, 'action'));
      const parts: readonly Part[] = [
        { type: 'text', text },
        ...(command === null ? [] : [{ ...command, outcome }]),
      ];
      yield { type: 'reply', parts, outcome };
    }
  }
}

function* historyEntries(items: readonly Json[]): Generator<Entry> {
  for (const [index, item] of items.entries()) {
    // Demonstrations come before the run itself.
    if (get(item, 'is_demo') !== true) yield* historyEntry(item, `history[${index}]`);
  }
}

function* historyEntry(item: Json, where: string): Generator<Entry> {
  const role = get(item, 'role');
  const content = get(item, 'content');
  const isObserved = role === 'tool' || get(item, 'message_type') === 'observation';
  if (role === 'assistant') {
    const command = commandPart(get(item, 'action'));
    const calls = callParts(item);
    const text = stringOf(get(item, 'thought')) || contentText(content);
    const called = calls.length > 0 || command === null ? calls : [command];
    yield { type: 'reply', parts: [{ type: 'text', text }, ...called] };
  } else if (isObserved) {
    yield { type: 'result', id: callIdOf(item), result: resultOf(content), error: undefined, where };
  } else if (role === 'user') yield { type: 'user', text: contentText(content) };
  else if (role !== 'system') yield { type: 'problem', where, problem: 'a message of an unknown role' };
}

/** The id of the call that an observation answers, where calls have ids. */
function callIdOf(item: Json): string | undefined {
  const ids = listOf(get(item, 'tool_call_ids')) ?? [];
  return idOf(ids[0]) ?? idOf(get(item, 'tool_call_id'));
}

function commandPart(action: Json | undefined): Extract<Part, { type: 'call' }> | null {
  if (typeof action !== 'string' || action.trim() === '') return null;
  return { type: 'call', tool: 'bash', args: { command: action } };
}
