import {
  type Json,
  toOptionalBoolean,
  getJsonPath,
  toOptionalId,
  isJsonObject,
  describeJsonKind,
  toOptionalList,
  toOptionalString,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import {
  getContentText,
  getResultContent,
  readRunSuccess,
  parseTraceTime,
  parseTraceUsage,
} from './trace-fields.ts';
import { type TraceEntry, mergeTraces, type ParsedTrace, type TraceFormat } from './trace-format.ts';
import {
  readChatCallParts,
  readChatEntries,
  reportNamelessCalls,
  describeInvalidMessage,
  readChatTextParts,
} from './openai-chat.ts';
import { createMessageProblem } from './unknown-records.ts';

/** Result files of tau-bench (a list of tasks, each with a `traj`) and of tau2-bench (a list of simulations). */
export const tauFormat: TraceFormat = {
  name: 'tau',
  sign: 'simulations with messages and a reward, or tasks with a traj and a reward (tau-bench, tau2-bench)',
  matches(document) {
    if (toOptionalList(getJsonPath(document, 'simulations')) !== undefined) return true;
    return (
      isTauSimulation(document) || isTauTask(document) || (toOptionalList(document) ?? []).some(isTauTask)
    );
  },
  parse(document, name) {
    const simulations = toOptionalList(getJsonPath(document, 'simulations'));
    const model = toOptionalString(getJsonPath(document, 'info', 'agent_info', 'llm'));
    if (simulations !== undefined) {
      return mergeTraces(
        simulations.map((run, index) =>
          parseTauSimulation(run, { name, model, location: `simulations[${index}]` }),
        ),
      );
    }
    if (isTauSimulation(document)) return parseTauSimulation(document, { name, model, location: '' });
    const tasks = toOptionalList(document);
    if (tasks === undefined) return parseTauTask(document, name, '');
    return mergeTraces(tasks.map((task, index) => parseTauTask(task, name, `[${index}]`)));
  },
};

function isTauTask(task: Json): boolean {
  return (
    toOptionalList(getJsonPath(task, 'traj')) !== undefined && typeof getJsonPath(task, 'reward') === 'number'
  );
}

function isTauSimulation(run: Json): boolean {
  const isRewarded =
    isJsonObject(getJsonPath(run, 'reward_info')) ||
    typeof getJsonPath(run, 'termination_reason') === 'string';
  return (
    isRewarded &&
    toOptionalList(getJsonPath(run, 'messages')) !== undefined &&
    getJsonPath(run, 'task_id') !== undefined
  );
}

/** tau-bench tools have no error flag. */
function parseTauTask(task: Json, name: string, location: string): ParsedTrace {
  const messages = toOptionalList(getJsonPath(task, 'traj'));
  if (messages === undefined)
    return createUnreadableTrace(location, `expected a task with a traj, got ${describeJsonKind(task)}`);
  const success = readRunSuccess(task);
  const facts = { ...readTauIdentity(task, name), ...(success === undefined ? {} : { success }) };
  return buildRecordedRun(facts, readChatEntries(messages, joinTauPath(location, 'traj')));
}

type TauRunContext = { readonly name: string; readonly model: string | undefined; readonly location: string };

function parseTauSimulation(run: Json, { name, model, location }: TauRunContext): ParsedTrace {
  const messages = toOptionalList(getJsonPath(run, 'messages'));
  if (messages === undefined)
    return createUnreadableTrace(
      location,
      `expected a simulation with messages, got ${describeJsonKind(run)}`,
    );
  const success = readRunSuccess(getJsonPath(run, 'reward_info'));
  const exit = toOptionalString(getJsonPath(run, 'termination_reason'));
  const facts = {
    ...readTauIdentity(run, name),
    ...(model === undefined ? {} : { model }),
    ...(success === undefined ? {} : { success }),
    ...(exit === undefined ? {} : { exit }),
  };
  return buildRecordedRun(facts, readSimulationEntries(messages, joinTauPath(location, 'messages')));
}

/** A file holds many runs, and the same task many times; the task and the trial identify a run. */
function readTauIdentity(
  run: Json,
  name: string,
): { readonly id: string; readonly source: string; readonly task?: string } {
  const task = toOptionalId(getJsonPath(run, 'task_id'));
  const trial = toOptionalId(getJsonPath(run, 'trial')) ?? '0';
  if (task === undefined) return { id: toOptionalId(getJsonPath(run, 'id')) ?? name, source: 'tau' };
  return { id: `${name}/${task}/${trial}`, source: 'tau', task };
}

function* readSimulationEntries(messages: readonly Json[], location: string): Generator<TraceEntry> {
  for (const [index, message] of messages.entries())
    yield* readSimulationMessage(message, `${location}[${index}]`);
}

/** The simulated user may have its own tools, whose calls are not the agent's work. */
function* readSimulationMessage(message: Json, location: string): Generator<TraceEntry> {
  const role = getJsonPath(message, 'role');
  const text = getContentText(getJsonPath(message, 'content'));
  const at = parseTraceTime(getJsonPath(message, 'timestamp'));
  const together = toOptionalList(getJsonPath(message, 'tool_messages'));
  if (role === 'user' && text !== '') yield { type: 'user', text, at };
  else if (role === 'assistant') {
    const parts = [...readChatTextParts(message), ...readChatCallParts(message)];
    yield { type: 'reply', parts, at, usage: parseTraceUsage(getJsonPath(message, 'usage')) };
    yield* reportNamelessCalls(message, location);
  } else if (role === 'tool' && together !== undefined) {
    for (const [index, one] of together.entries())
      yield* readSimulationMessage(one, `${location}.tool_messages[${index}]`);
  } else if (role === 'tool' && getJsonPath(message, 'requestor') !== 'user') {
    const [id, error] = [
      toOptionalId(getJsonPath(message, 'id')),
      toOptionalBoolean(getJsonPath(message, 'error')),
    ];
    yield { type: 'result', id, result: getResultContent(getJsonPath(message, 'content')), error, location };
  } else if (role !== 'user' && role !== 'tool' && role !== 'system') {
    yield createMessageProblem(message, location, describeInvalidMessage(message));
  }
}

function createUnreadableTrace(location: string, problem: string): ParsedTrace {
  return { runs: [], problems: [{ location, problem }] };
}

function joinTauPath(location: string, name: string): string {
  return location === '' ? name : `${location}.${name}`;
}
