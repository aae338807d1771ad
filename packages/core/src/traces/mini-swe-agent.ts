import type { Json } from '../json.ts';
import { buildRun } from './build-run.ts';
import { contentText } from './content.ts';
import type { Entry, Part } from './entry.ts';
import { hasFailed } from './exit-code.ts';
import { get, idOf, isObject, listOf, numberOf, stringOf } from '../json-fields.ts';
import { callParts, notAMessage, saidParts } from './openai-chat.ts';
import { itemEntries } from './openai-responses.ts';
import { runFacts, successOf } from './run-facts.ts';
import { timeOf } from './time.ts';
import { usageOf } from './tokens.ts';
import type { TraceFormat } from './trace-format.ts';

/**
 * Trajectories of mini-SWE-agent. Its commands are tool calls, or stand in the text as one block of bash; then the next
 * message is what came of it. A text without exactly one command is answered too: with how to write it.
 */
export const miniSweAgent: TraceFormat = {
  name: 'mini-swe-agent',
  sign: 'messages beside an info with an exit_status (mini-SWE-agent)',
  recognise(document) {
    if (listOf(get(document, 'messages')) === undefined) return false;
    const isNamed = stringOf(get(document, 'trajectory_format'))?.startsWith('mini-swe-agent') === true;
    const names = ['exit_status', 'mini_version', 'model_stats'];
    return isNamed || names.some((name) => get(document, 'info', name) !== undefined);
  },
  parse(document, name) {
    const info = get(document, 'info');
    const model = stringOf(get(info, 'config', 'model', 'model_name'));
    const [exit, success] = [stringOf(get(info, 'exit_status')), successOf(info)];
    const facts = {
      ...runFacts(document, name, 'mini-swe-agent'),
      ...(model === undefined ? {} : { model }),
      ...(exit === undefined ? {} : { exit }),
      ...(success === undefined ? {} : { success }),
    };
    return buildRun(facts, entries(listOf(get(document, 'messages')) ?? []));
  },
};

function* entries(messages: readonly Json[]): Generator<Entry> {
  let waiting: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const where = `messages[${index}]`;
    const role = get(message, 'role');
    if (role === 'assistant') {
      const { parts, ids } = replyOf(message, index);
      waiting = ids;
      yield {
        ...timesAndUsage(message),
        type: 'reply',
        parts,
        outcome: objection(parts, messages[index + 1]),
      };
    } else if (role === 'user' || role === 'exit') {
      const [id, ...rest] = waiting;
      if (id !== undefined) yield observed(message, id, where);
      else if (role === 'user' && !isObjection(messages, index)) {
        yield { type: 'user', text: contentText(get(message, 'content')) };
      }
      waiting = rest;
    } else if (role === 'tool') yield observed(message, idOf(get(message, 'tool_call_id')), where);
    else yield* otherEntries(message, where);
  }
}

/** The text of a reply and its calls. Calls that stand in the text get an id, for what comes next to refer to. */
function replyOf(
  message: Json,
  index: number,
): { readonly parts: readonly Part[]; readonly ids: readonly string[] } {
  const said = saidParts(message);
  const called = callParts(message);
  if (called.length > 0) return { parts: [...said, ...called], ids: [] };
  const commands = commandsOf(message);
  const ids = commands.map((_, number) => `text ${index}.${number}`);
  const parts = commands.map((command, number) => commandPart(command, ids[number]));
  return { parts: [...said, ...parts], ids };
}

function commandPart(command: string, id: string | undefined): Part {
  return { type: 'call', id, tool: 'bash', args: { command } };
}

function commandsOf(message: Json): readonly string[] {
  const actions = listOf(get(message, 'extra', 'actions')) ?? [];
  const given = actions.map((action) => stringOf(get(action, 'command')) ?? stringOf(action));
  if (given.length > 0) return given.filter((command) => command !== undefined);
  const blocks = bashBlocks(contentText(get(message, 'content')));
  return blocks.length === 1 ? blocks : [];
}

/** The blocks of bash in a text. One pass over it, however many fences it has that nothing closes. */
function bashBlocks(text: string): readonly string[] {
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

/** What is said to a reply that called nothing. */
function objection(
  parts: readonly Part[],
  next: Json | undefined,
): Extract<Entry, { type: 'reply' }>['outcome'] {
  if (parts.some(({ type }) => type === 'call') || get(next, 'role') !== 'user') return undefined;
  return { result: contentText(get(next, 'content')), error: true };
}

function isObjection(messages: readonly Json[], index: number): boolean {
  return get(messages[index - 1], 'role') === 'assistant';
}

function observed(message: Json, id: string | undefined, where: string): Entry {
  const text = contentText(get(message, 'content') ?? get(message, 'output'));
  return { type: 'result', id, result: text, error: failedBy(message, text), where };
}

function failedBy(message: Json, text: string): boolean | undefined {
  if (stringOf(get(message, 'extra', 'exception_info')) !== undefined) return true;
  const said = /^\s*<returncode>(-?\d+)<\/returncode>/.exec(text)?.[1];
  const code =
    numberOf(get(message, 'extra', 'returncode')) ?? (said === undefined ? undefined : Number(said));
  if (code === undefined) return text.startsWith('The last command <command>') ? true : undefined;
  const output =
    stringOf(get(message, 'extra', 'raw_output')) ?? /<output>([\s\S]*)<\/output>/.exec(text)?.[1];
  return hasFailed(code, output ?? text);
}

function timesAndUsage(message: Json): Pick<Extract<Entry, { type: 'reply' }>, 'at' | 'usage'> {
  const at =
    timeOf(get(message, 'extra', 'timestamp')) ?? timeOf(get(message, 'extra', 'response', 'created'));
  return { at, usage: usageOf(get(message, 'extra', 'response', 'usage')) };
}

/** With the Responses interface, messages are its responses and items. */
function* otherEntries(message: Json, where: string): Generator<Entry> {
  const output = listOf(get(message, 'output'));
  if (get(message, 'type') === 'function_call_output')
    yield observed(message, idOf(get(message, 'call_id')), where);
  else if (output !== undefined) {
    for (const [index, item] of output.entries()) {
      for (const entry of itemEntries(item, `${where}.output[${index}]`)) {
        yield entry.type === 'reply'
          ? { ...entry, key: where, usage: usageOf(get(message, 'usage')) }
          : entry;
      }
    }
  } else if (!isObject(message) || get(message, 'role') !== 'system') {
    yield { type: 'problem', where, problem: notAMessage(message) };
  }
}
