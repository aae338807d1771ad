import type { Json } from '../json.ts';
import type { Entry } from './entry.ts';
import { hasFailed } from './exit-code.ts';
import { booleanOf, get, idOf, isObject, numberOf, stringOf } from '../json-fields.ts';
import { timeOf } from './time.ts';
import { usageOf } from './tokens.ts';

/** Actions that ask nothing of a tool. */
const silent: ReadonlySet<string> = new Set([
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

/** Arguments that are not the call's own, but what surrounds it. */
const around: ReadonlySet<string> = new Set([
  'thought',
  'blocking',
  'hidden',
  'is_static',
  'is_input',
  'confirmation_state',
  'is_confirmed',
  'security_risk',
]);

export function isFirstEvent(event: Json): boolean {
  const isAction = typeof get(event, 'action') === 'string' && isObject(get(event, 'args'));
  return isAction || (typeof get(event, 'observation') === 'string' && isObject(get(event, 'extras')));
}

/** The calls of the agent, as opposed to what the person or the program itself did. */
export function callIdsIn(events: readonly Json[]): ReadonlySet<string> {
  return new Set(events.flatMap((event) => (isCall(event) ? (idOf(get(event, 'id')) ?? []) : [])));
}

function isCall(event: Json): boolean {
  const action = stringOf(get(event, 'action'));
  return action !== undefined && !silent.has(action) && get(event, 'source') !== 'user';
}

export function* firstEntries(event: Json, where: string, calls: ReadonlySet<string>): Generator<Entry> {
  const at = timeOf(get(event, 'timestamp'));
  if (typeof get(event, 'observation') === 'string') yield* observed(event, where, calls);
  else if (isCall(event)) yield callEntry(event, at);
  else if (get(event, 'action') === 'message') {
    const text = stringOf(get(event, 'args', 'content')) ?? stringOf(get(event, 'message')) ?? '';
    if (get(event, 'source') === 'user') yield { type: 'user', text, at };
    else yield { type: 'reply', parts: [{ type: 'text', text }], at };
  } else if (typeof get(event, 'action') !== 'string') {
    yield { type: 'problem', where, problem: 'an event that is neither an action nor an observation' };
  }
}

function callEntry(event: Json, at: number | undefined): Entry {
  const metadata = get(event, 'tool_call_metadata');
  const tool = stringOf(get(metadata, 'function_name')) ?? stringOf(get(event, 'action')) ?? 'unknown';
  const thought = get(event, 'args', 'thought');
  const text = stringOf(thought) ?? stringOf(get(thought, 'text')) ?? '';
  const response = get(metadata, 'model_response');
  return {
    type: 'reply',
    parts: [
      ...(text === '' ? [] : [{ type: 'text', text } as const]),
      { type: 'call', id: idOf(get(event, 'id')), tool, args: ownArgs(get(event, 'args')) },
    ],
    // Calls of one reply each carry the whole reply.
    key: idOf(get(response, 'id')),
    usage: usageOf(get(response, 'usage')),
    at,
  };
}

function ownArgs(args: Json | undefined): Json | undefined {
  if (!isObject(args)) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => !around.has(name)));
}

function* observed(event: Json, where: string, calls: ReadonlySet<string>): Generator<Entry> {
  const id = idOf(get(event, 'cause'));
  const isError = get(event, 'observation') === 'error';
  // Much is observed that no call of the agent caused.
  if (id === undefined ? !isError : !calls.has(id)) return;
  const result = get(event, 'content');
  yield { type: 'result', id, result, error: isError || failedBy(event, stringOf(result) ?? ''), where };
}

function failedBy(event: Json, output: string): boolean | undefined {
  const extras = get(event, 'extras');
  const exitCode = numberOf(get(extras, 'metadata', 'exit_code')) ?? numberOf(get(extras, 'exit_code'));
  // It stands for a command that is still at work.
  if (exitCode !== undefined && exitCode !== -1) return hasFailed(exitCode, output);
  const success = booleanOf(get(event, 'success'));
  return success === undefined ? booleanOf(get(extras, 'error')) : !success;
}
