import {
  type Json,
  getJsonPath,
  toOptionalId,
  isJsonObject,
  toOptionalList,
  toOptionalNumber,
  toOptionalString,
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
import { readChatCallParts, describeInvalidMessage, readChatTextParts } from './openai-chat.ts';
import { readResponseItem } from './openai-responses.ts';
import { createMessageProblem } from './unknown-records.ts';

/**
 * mini-SWE-agent trajectories. Commands are tool calls, or one bash block in the text whose result is the next message.
 * A text without exactly one command is answered with instructions on how to write it.
 */
export const miniSweAgentFormat: TraceFormat = {
  name: 'mini-swe-agent',
  sign: 'messages beside an info with an exit_status (mini-SWE-agent)',
  matches(document) {
    if (toOptionalList(getJsonPath(document, 'messages')) === undefined) return false;
    const isNamed =
      toOptionalString(getJsonPath(document, 'trajectory_format'))?.startsWith('mini-swe-agent') === true;
    const names = ['exit_status', 'mini_version', 'model_stats'];
    return isNamed || names.some((name) => getJsonPath(document, 'info', name) !== undefined);
  },
  parse(document, name) {
    const info = getJsonPath(document, 'info');
    const model = toOptionalString(getJsonPath(info, 'config', 'model', 'model_name'));
    const [exit, success] = [toOptionalString(getJsonPath(info, 'exit_status')), readRunSuccess(info)];
    const facts = {
      ...readRunFacts(document, name, 'mini-swe-agent'),
      ...(model === undefined ? {} : { model }),
      ...(exit === undefined ? {} : { exit }),
      ...(success === undefined ? {} : { success }),
    };
    return buildRecordedRun(
      facts,
      readMiniSweEntries(toOptionalList(getJsonPath(document, 'messages')) ?? []),
    );
  },
};

function* readMiniSweEntries(messages: readonly Json[]): Generator<TraceEntry> {
  let waiting: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const location = `messages[${index}]`;
    const role = getJsonPath(message, 'role');
    if (role === 'assistant') {
      const { parts, ids } = parseMiniSweReply(message, index);
      waiting = ids;
      yield {
        ...readTimeAndUsage(message),
        type: 'reply',
        parts,
        outcome: findObjection(parts, messages[index + 1]),
      };
    } else if (role === 'user' || role === 'exit') {
      const [id, ...rest] = waiting;
      if (id !== undefined) yield createMiniSweResult(message, id, location);
      else if (role === 'user' && !isObjection(messages, index)) {
        yield { type: 'user', text: getContentText(getJsonPath(message, 'content')) };
      }
      waiting = rest;
    } else if (role === 'tool')
      yield createMiniSweResult(message, toOptionalId(getJsonPath(message, 'tool_call_id')), location);
    else yield* readResponseMessage(message, location);
  }
}

/**
 * Returns the text and calls of a reply. Commands in the text get an id, so that the next message can refer to them.
 */
function parseMiniSweReply(
  message: Json,
  index: number,
): { readonly parts: readonly TracePart[]; readonly ids: readonly string[] } {
  const textParts = readChatTextParts(message);
  const callParts = readChatCallParts(message);
  if (callParts.length > 0) return { parts: [...textParts, ...callParts], ids: [] };
  const commands = getMiniSweCommands(message);
  const ids = commands.map((_, number) => `text ${index}.${number}`);
  const parts = commands.map((command, number) => createMiniSweCall(command, ids[number]));
  return { parts: [...textParts, ...parts], ids };
}

function createMiniSweCall(command: string, id: string | undefined): TracePart {
  return { type: 'call', id, tool: 'bash', args: { command } };
}

function getMiniSweCommands(message: Json): readonly string[] {
  const actions = toOptionalList(getJsonPath(message, 'extra', 'actions')) ?? [];
  const commands = actions.map(
    (action) => toOptionalString(getJsonPath(action, 'command')) ?? toOptionalString(action),
  );
  if (commands.length > 0) return commands.filter((command) => command !== undefined);
  const blocks = extractBashBlocks(getContentText(getJsonPath(message, 'content')));
  return blocks.length === 1 ? blocks : [];
}

/** Extracts the bash blocks of a text in one pass, however many unclosed fences it has. */
function extractBashBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  const fence = /```(?:bash|mswea_bash_command)[^\S\n]{0,100}\n/g;
  for (let open = fence.exec(text); open !== null; open = fence.exec(text)) {
    const close = text.indexOf('\n```', fence.lastIndex - 1);
    if (close === -1) break;
    blocks.push(text.slice(fence.lastIndex, Math.max(close, fence.lastIndex)).trim());
    fence.lastIndex = close + 1;
  }
  return blocks;
}

/** Returns the objection to a reply without calls. */
function findObjection(
  parts: readonly TracePart[],
  next: Json | undefined,
): Extract<TraceEntry, { type: 'reply' }>['outcome'] {
  if (parts.some(({ type }) => type === 'call') || getJsonPath(next, 'role') !== 'user') return undefined;
  return { result: getContentText(getJsonPath(next, 'content')), error: true };
}

function isObjection(messages: readonly Json[], index: number): boolean {
  return getJsonPath(messages[index - 1], 'role') === 'assistant';
}

function createMiniSweResult(message: Json, id: string | undefined, location: string): TraceEntry {
  const text = getContentText(getJsonPath(message, 'content') ?? getJsonPath(message, 'output'));
  const hasThrown = toOptionalString(getJsonPath(message, 'extra', 'exception_info')) !== undefined;
  const exitCode = toOptionalNumber(getJsonPath(message, 'extra', 'returncode'));
  return { type: 'result', id, result: text, error: hasThrown ? true : undefined, exitCode, location };
}

function readTimeAndUsage(message: Json): Pick<Extract<TraceEntry, { type: 'reply' }>, 'at' | 'usage'> {
  const at =
    parseTraceTime(getJsonPath(message, 'extra', 'timestamp')) ??
    parseTraceTime(getJsonPath(message, 'extra', 'response', 'created'));
  return { at, usage: parseTraceUsage(getJsonPath(message, 'extra', 'response', 'usage')) };
}

/** With the Responses API, messages are its responses and items. */
function* readResponseMessage(message: Json, location: string): Generator<TraceEntry> {
  const output = toOptionalList(getJsonPath(message, 'output'));
  if (getJsonPath(message, 'type') === 'function_call_output')
    yield createMiniSweResult(message, toOptionalId(getJsonPath(message, 'call_id')), location);
  else if (output !== undefined) {
    for (const [index, item] of output.entries()) {
      for (const entry of readResponseItem(item, `${location}.output[${index}]`)) {
        yield entry.type === 'reply'
          ? { ...entry, key: location, usage: parseTraceUsage(getJsonPath(message, 'usage')) }
          : entry;
      }
    }
  } else if (!isJsonObject(message) || getJsonPath(message, 'role') !== 'system') {
    yield createMessageProblem(message, location, describeInvalidMessage(message));
  }
}
