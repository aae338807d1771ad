import {
  type Json,
  getJsonPath,
  getTypeName,
  isJsonObject,
  toOptionalBoolean,
  toOptionalId,
  toOptionalList,
  toOptionalString,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import { readChatMessage } from './openai-chat.ts';
import { getContentText, parseTraceTime, parseTraceUsage } from './trace-fields.ts';
import {
  type TraceEntry,
  type TraceFormat,
  type TraceOutcome,
  type TracePart,
  mergeTraces,
} from './trace-format.ts';
import { createMessageProblem } from './unknown-records.ts';

/*
 * Logs of public studies of agents. Each has a format of its own.
 */

/** cochise: a line for each message, of a planner and of the executors that it starts. Each of them is a run. */
export const cochiseFormat: TraceFormat = {
  name: 'cochise',
  sign: 'lines with the event history_append and a message (cochise)',
  matches: (document) => (toOptionalList(document) ?? []).some(isCochiseMessage),
  parse(document, name) {
    const lines = toOptionalList(document) ?? [];
    const agents = Map.groupBy(
      lines.map((line, index) => ({ line, index })).filter(({ line }) => isCochiseLine(line)),
      ({ line }) => toOptionalId(getJsonPath(line, 'agent')) ?? '',
    );
    const model = lines
      .map((line) => toOptionalString(getJsonPath(line, 'model')))
      .find((found) => found !== undefined);
    return mergeTraces(
      [...agents].map(([agent, found]) => {
        const id = agent === '' || agent === 'main' ? name : `${name}/${agent}`;
        const facts = { id, source: 'cochise', ...(model === undefined ? {} : { model }) };
        return buildRecordedRun(facts, readCochiseLines(found));
      }),
    );
  },
};

function isCochiseMessage(line: Json): boolean {
  return getJsonPath(line, 'event') === 'history_append' && isJsonObject(getJsonPath(line, 'content'));
}

function isCochiseLine(line: Json): boolean {
  return isCochiseMessage(line) || getJsonPath(line, 'event') === 'llm_call';
}

/** The costs of a request precede the message in which it resulted. */
function* readCochiseLines(
  lines: readonly { readonly line: Json; readonly index: number }[],
): Generator<TraceEntry> {
  let usage = parseTraceUsage(undefined);
  for (const { line, index } of lines) {
    const at = parseTraceTime(getJsonPath(line, 'timestamp'));
    if (!isCochiseMessage(line)) usage = parseTraceUsage(getJsonPath(line, 'costs'));
    for (const entry of isCochiseMessage(line)
      ? readChatMessage(getJsonPath(line, 'content') ?? null, `[${index}].content`)
      : []) {
      if (entry.type === 'reply') {
        yield { ...entry, at, usage };
        usage = undefined;
      } else yield entry.type === 'user' ? { ...entry, at } : entry;
    }
  }
}

/** code-repair-lab: turns that are messages, calls and results. */
export const codeRepairLabFormat: TraceFormat = {
  name: 'code-repair-lab',
  sign: 'a trajectory with turns of the types message, tool_call and tool_result (code-repair-lab)',
  matches: (document) => getRepairTurns(document).some(isRepairTurn),
  parse(document, name) {
    const model = toOptionalString(getJsonPath(document, 'condition_id'));
    const success = toOptionalBoolean(getJsonPath(document, 'grade', 'passed'));
    const exit = toOptionalString(getJsonPath(document, 'trajectory', 'stop_reason'));
    const ids = ['task_id', 'run_index'].flatMap((each) => toOptionalId(getJsonPath(document, each)) ?? []);
    const facts = {
      id: ids.length === 0 ? name : ids.join('/'),
      source: 'code-repair-lab',
      ...(model === undefined ? {} : { model }),
      ...(success === undefined ? {} : { success }),
      ...(exit === undefined ? {} : { exit }),
    };
    const usage = parseTraceUsage(getJsonPath(document, 'trajectory', 'usage'));
    return buildRecordedRun(facts, [
      ...getRepairTurns(document).flatMap((turn, index) => [
        ...readRepairTurn(turn, `trajectory.turns[${index}]`),
      ]),
      ...(usage === undefined ? [] : [{ type: 'total', usage } as const]),
    ]);
  },
};

function getRepairTurns(document: Json): readonly Json[] {
  return toOptionalList(getJsonPath(document, 'trajectory', 'turns')) ?? [];
}

function isRepairTurn(turn: Json): boolean {
  return /^(?:tool_call|tool_result|message)$/.test(getTypeName(turn));
}

function* readRepairTurn(turn: Json, location: string): Generator<TraceEntry> {
  const text = getContentText(getJsonPath(turn, 'content')).trim();
  const role = getJsonPath(turn, 'role');
  switch (getTypeName(turn)) {
    case 'message':
      if (role === 'user') yield { type: 'user', text };
      else if (role === 'assistant') yield { type: 'reply', parts: [{ type: 'text', text }] };
      return;
    case 'tool_call':
      yield { type: 'reply', parts: readRepairCalls(turn, text) };
      return;
    case 'tool_result': {
      const outcome = getJsonPath(turn, 'outcome');
      yield {
        type: 'result',
        id: toOptionalId(getJsonPath(turn, 'call_id')),
        result:
          getJsonPath(outcome, 'result') ?? getJsonPath(outcome, 'message') ?? getJsonPath(outcome, 'error'),
        error: getTypeName(outcome) !== 'success',
        location,
      };
      return;
    }
    default:
      yield createMessageProblem(turn, location, 'a turn of an unknown type');
  }
}

function readRepairCalls(turn: Json, text: string): readonly TracePart[] {
  const calls = toOptionalList(getJsonPath(turn, 'tool_calls')) ?? [];
  return [
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map((call): TracePart => ({
      type: 'call',
      id: toOptionalId(getJsonPath(call, 'call_id')),
      tool: toOptionalString(getJsonPath(call, 'name')) ?? 'unknown',
      args: getJsonPath(call, 'arguments'),
    })),
  ];
}

/** agent-trajectory-sentinel: a line for each step, with the calls in it. */
export const sentinelFormat: TraceFormat = {
  name: 'sentinel',
  sign: 'lines with an action and tool_events (agent-trajectory-sentinel)',
  matches: (document) => (toOptionalList(document) ?? []).some(isSentinelLine),
  parse(document, name) {
    const lines = toOptionalList(document) ?? [];
    const task = lines
      .map((line) => toOptionalString(getJsonPath(line, 'task')))
      .find((found) => found !== undefined);
    const facts = { id: name, source: 'sentinel', ...(task === undefined ? {} : { task }) };
    return buildRecordedRun(facts, [
      ...(task === undefined ? [] : [{ type: 'user', text: task } as const]),
      ...lines.map(readSentinelLine),
    ]);
  },
};

function isSentinelLine(line: Json): boolean {
  return (
    typeof getJsonPath(line, 'action') === 'string' &&
    toOptionalList(getJsonPath(line, 'tool_events')) !== undefined
  );
}

/** The text of a step with calls only repeats them. */
function readSentinelLine(line: Json, index: number): TraceEntry {
  const events = toOptionalList(getJsonPath(line, 'tool_events'));
  if (events === undefined) return createMessageProblem(line, `[${index}]`, 'a line without tool_events');
  const text = toOptionalString(getJsonPath(line, 'text')) ?? '';
  const parts = events.map((event): TracePart => ({
    type: 'call',
    tool: toOptionalString(getJsonPath(event, 'name')) ?? 'unknown',
    args: getJsonPath(event, 'args'),
    outcome: {
      result: getJsonPath(event, 'result'),
      error: toOptionalBoolean(getJsonPath(event, 'is_error')),
    },
  }));
  return {
    type: 'reply',
    parts: parts.length > 0 ? parts : [{ type: 'text', text }],
    usage: parseTraceUsage(line),
  };
}

/** MINT: messages with code to execute or a solution in their text, and the observation in the next message. */
export const mintFormat: TraceFormat = {
  name: 'mint',
  sign: 'a state with a history and a terminate_reason (MINT)',
  matches: (document) =>
    getMintHistory(document).length > 0 && getJsonPath(document, 'state', 'terminate_reason') !== undefined,
  parse(document, name) {
    const state = getJsonPath(document, 'state');
    const success = toOptionalBoolean(getJsonPath(state, 'success'));
    const exit = toOptionalString(getJsonPath(state, 'terminate_reason'));
    const facts = {
      id: toOptionalId(getJsonPath(document, 'task', 'task_id')) ?? name,
      source: 'mint',
      ...(success === undefined ? {} : { success }),
      ...(exit === undefined ? {} : { exit }),
    };
    const usage = parseTraceUsage(getJsonPath(state, 'token_counter'));
    return buildRecordedRun(facts, [
      ...readMintHistory(getMintHistory(document)),
      ...(usage === undefined ? [] : [{ type: 'total', usage } as const]),
    ]);
  },
};

function getMintHistory(document: Json): readonly Json[] {
  return toOptionalList(getJsonPath(document, 'state', 'history')) ?? [];
}

/** What the environment says to a reply is its result; only what comes before the first reply is from a user. */
function* readMintHistory(history: readonly Json[]): Generator<TraceEntry> {
  let hasReplied = false;
  for (const [index, message] of history.entries()) {
    const text = getContentText(getJsonPath(message, 'content'));
    const role = getJsonPath(message, 'role');
    if (role === 'assistant') {
      const next = history[index + 1];
      const result = getContentText(getJsonPath(next, 'content')).replace(/^Observation:\n/, '');
      const isAnswered = getJsonPath(next, 'role') === 'user';
      hasReplied = true;
      yield createMintReply(text, isAnswered ? { result, error: undefined } : undefined);
    } else if (role !== 'user')
      yield createMessageProblem(message, `state.history[${index}]`, 'a message of an unknown role');
    else if (!hasReplied) yield { type: 'user', text };
  }
}

function createMintReply(text: string, outcome: TraceOutcome | undefined): TraceEntry {
  const code = extractElement(text, 'execute');
  const solution = extractElement(text, 'solution');
  const first = code ?? solution;
  if (first === null) return { type: 'reply', parts: [{ type: 'text', text }], outcome };
  const said = text.slice(0, first.start).trim();
  const call =
    code === null
      ? { tool: 'propose', args: { solution: first.inner } }
      : { tool: 'python', args: { code: first.inner } };
  return {
    type: 'reply',
    parts: [
      ...(said === '' ? [] : [{ type: 'text', text: said } as const]),
      { type: 'call', ...call, ...(outcome === undefined ? {} : { outcome }) },
    ],
  };
}

/** An element that is not closed was cut off with the reply. */
function extractElement(
  text: string,
  name: string,
): { readonly start: number; readonly inner: string } | null {
  const start = text.indexOf(`<${name}>`);
  if (start === -1) return null;
  const from = start + name.length + 2;
  const end = text.indexOf(`</${name}>`, from);
  return { start, inner: text.slice(from, end === -1 ? undefined : end).trim() };
}
