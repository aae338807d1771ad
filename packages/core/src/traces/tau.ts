import type { Json } from '../json.ts';
import { buildRun } from './build-run.ts';
import { contentText, resultOf } from './content.ts';
import type { Entry } from './entry.ts';
import { booleanOf, get, idOf, isObject, kindOf, listOf, stringOf } from '../json-fields.ts';
import { callParts, chatEntries, namelessCalls, notAMessage, saidParts } from './openai-chat.ts';
import { successOf } from './run-facts.ts';
import { timeOf } from './time.ts';
import { usageOf } from './tokens.ts';
import { merged, type ParsedTrace, type TraceFormat } from './trace-format.ts';

/** Result files of tau-bench (a list of tasks, each with a `traj`) and of tau2-bench (a list of simulations). */
export const tau: TraceFormat = {
  name: 'tau',
  sign: 'simulations with messages and a reward, or tasks with a traj and a reward (tau-bench, tau2-bench)',
  recognise(document) {
    if (listOf(get(document, 'simulations')) !== undefined) return true;
    return isSimulation(document) || isTask(document) || (listOf(document) ?? []).some(isTask);
  },
  parse(document, name) {
    const simulations = listOf(get(document, 'simulations'));
    const model = stringOf(get(document, 'info', 'agent_info', 'llm'));
    if (simulations !== undefined) {
      return merged(
        simulations.map((run, index) =>
          parseSimulation(run, { name, model, where: `simulations[${index}]` }),
        ),
      );
    }
    if (isSimulation(document)) return parseSimulation(document, { name, model, where: '' });
    const tasks = listOf(document);
    if (tasks === undefined) return parseTask(document, name, '');
    return merged(tasks.map((task, index) => parseTask(task, name, `[${index}]`)));
  },
};

function isTask(task: Json): boolean {
  return listOf(get(task, 'traj')) !== undefined && typeof get(task, 'reward') === 'number';
}

function isSimulation(run: Json): boolean {
  const isRewarded = isObject(get(run, 'reward_info')) || typeof get(run, 'termination_reason') === 'string';
  return isRewarded && listOf(get(run, 'messages')) !== undefined && get(run, 'task_id') !== undefined;
}

/** The tools of tau-bench have no flag for an error: they begin their answer with the word. */
function parseTask(task: Json, name: string, where: string): ParsedTrace {
  const messages = listOf(get(task, 'traj'));
  if (messages === undefined) return unreadable(where, `expected a task with a traj, got ${kindOf(task)}`);
  const success = successOf(task);
  const facts = { ...identity(task, name), ...(success === undefined ? {} : { success }) };
  return buildRun(facts, markErrors(chatEntries(messages, join(where, 'traj'))));
}

function* markErrors(entries: Iterable<Entry>): Generator<Entry> {
  for (const entry of entries) {
    if (entry.type !== 'result') yield entry;
    else yield { ...entry, error: typeof entry.result === 'string' && /^Error\b/.test(entry.result) };
  }
}

type Place = { readonly name: string; readonly model: string | undefined; readonly where: string };

function parseSimulation(run: Json, { name, model, where }: Place): ParsedTrace {
  const messages = listOf(get(run, 'messages'));
  if (messages === undefined)
    return unreadable(where, `expected a simulation with messages, got ${kindOf(run)}`);
  const success = successOf(get(run, 'reward_info'));
  const exit = stringOf(get(run, 'termination_reason'));
  const facts = {
    ...identity(run, name),
    ...(model === undefined ? {} : { model }),
    ...(success === undefined ? {} : { success }),
    ...(exit === undefined ? {} : { exit }),
  };
  return buildRun(facts, simulationEntries(messages, join(where, 'messages')));
}

/** A file holds many runs, and the same task many times: the task and the trial tell them apart. */
function identity(
  run: Json,
  name: string,
): { readonly id: string; readonly source: string; readonly task?: string } {
  const task = idOf(get(run, 'task_id'));
  const trial = idOf(get(run, 'trial')) ?? '0';
  if (task === undefined) return { id: idOf(get(run, 'id')) ?? name, source: 'tau' };
  return { id: `${name}/${task}/${trial}`, source: 'tau', task };
}

function* simulationEntries(messages: readonly Json[], where: string): Generator<Entry> {
  for (const [index, message] of messages.entries()) yield* simulationEntry(message, `${where}[${index}]`);
}

/** The simulated user may have tools of its own; what it does with them is no work of the agent. */
function* simulationEntry(message: Json, where: string): Generator<Entry> {
  const role = get(message, 'role');
  const text = contentText(get(message, 'content'));
  const at = timeOf(get(message, 'timestamp'));
  const together = listOf(get(message, 'tool_messages'));
  if (role === 'user' && text !== '') yield { type: 'user', text, at };
  else if (role === 'assistant') {
    const parts = [...saidParts(message), ...callParts(message)];
    yield { type: 'reply', parts, at, usage: usageOf(get(message, 'usage')) };
    yield* namelessCalls(message, where);
  } else if (role === 'tool' && together !== undefined) {
    for (const [index, one] of together.entries())
      yield* simulationEntry(one, `${where}.tool_messages[${index}]`);
  } else if (role === 'tool' && get(message, 'requestor') !== 'user') {
    const [id, error] = [idOf(get(message, 'id')), booleanOf(get(message, 'error'))];
    yield { type: 'result', id, result: resultOf(get(message, 'content')), error, where };
  } else if (role !== 'user' && role !== 'tool' && role !== 'system') {
    yield { type: 'problem', where, problem: notAMessage(message) };
  }
}

function unreadable(where: string, problem: string): ParsedTrace {
  return { runs: [], problems: [{ where, problem }] };
}

function join(where: string, name: string): string {
  return where === '' ? name : `${where}.${name}`;
}
