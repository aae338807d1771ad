import type { Json } from '../json.ts';
import { buildRun } from './build-run.ts';
import { contentText, resultOf } from './content.ts';
import { inTurns, type Entry, type Part, type Reply } from './entry.ts';
import { get, idOf, isObject, kindOf, listOf, stringOf, typeOf, unpacked } from '../json-fields.ts';
import { messagesOf, runFacts } from './run-facts.ts';
import { usageOf } from './tokens.ts';
import type { TraceFormat } from './trace-format.ts';

/** Items of OpenAI's Responses interface, and those of its Agents SDK, which spells some names differently. */
export const openaiResponses: TraceFormat = {
  name: 'openai-responses',
  sign: 'items of the types function_call, function_call_output, reasoning or message (OpenAI Responses)',
  recognise: (document) => itemLists(document).some(({ items }) => items.some(isItem)),
  parse(document, name) {
    return buildRun(runFacts(document, name, 'openai-responses'), inTurns(documentEntries(document)));
  },
};

const callTypes: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'computer_call',
  'hosted_tool_call',
]);

/** Calls that the provider carries out by itself: the item holds the outcome as well. */
const hostedTypes: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
]);

const resultTypes =
  /^(?:function_call|custom_tool_call|local_shell_call|shell_call|apply_patch_call|computer_call)_(?:output|result)$/;

export function isResponseItem(item: Json): boolean {
  const type = typeOf(item);
  return callTypes.has(type) || hostedTypes.has(type) || resultTypes.test(type) || type === 'reasoning';
}

function isItem(item: Json): boolean {
  return isResponseItem(item) || (get(item, 'type') === 'message' && typeof get(item, 'role') === 'string');
}

type ItemList = { readonly items: readonly Json[]; readonly where: string };

function itemLists(document: Json): readonly ItemList[] {
  const wrapped = messagesOf(document);
  const named = ['input', 'items', 'output'].map((where) => ({
    items: listOf(get(document, where)) ?? [],
    where,
  }));
  return wrapped === null ? named : [{ items: wrapped.messages, where: wrapped.where }, ...named];
}

function* documentEntries(document: Json): Generator<Entry> {
  const asked = stringOf(get(document, 'input'));
  if (asked !== undefined) yield { type: 'user', text: asked };
  for (const { items, where } of itemLists(document)) {
    for (const [index, item] of items.entries()) yield* itemEntries(item, `${where}[${index}]`);
  }
  const usage = usageOf(get(document, 'usage'));
  if (usage !== undefined) yield { type: 'usage', usage };
}

/** What one item says. A message may come without its type. */
export function* itemEntries(item: Json, where: string, at?: number): Generator<Entry> {
  const type = stringOf(get(item, 'type')) ?? (typeof get(item, 'role') === 'string' ? 'message' : '');
  const reply = (...parts: Part[]): Reply => ({ type: 'reply', parts, at });
  if (type === 'message') yield* messageEntries(item, where, at);
  else if (type === 'reasoning') yield reply({ type: 'thought', text: thoughtOf(item) });
  else if (callTypes.has(type)) yield reply(callOf(item, type));
  else if (hostedTypes.has(type)) yield reply(hostedCallOf(item, type));
  else if (resultTypes.test(type)) {
    const [result, error] = [resultOf(unwrapped(get(item, 'output'))), failedBy(item)];
    yield { type: 'result', id: callId(item), tool: stringOf(get(item, 'name')), result, error, where };
  } else if (!isObject(item))
    yield { type: 'problem', where, problem: `expected an item, got ${kindOf(item)}` };
  else if (type === '') yield { type: 'problem', where, problem: 'an item without a type' };
}

function* messageEntries(item: Json, where: string, at: number | undefined): Generator<Entry> {
  const role = get(item, 'role');
  const text = contentText(get(item, 'content'));
  if (role === 'user') yield { type: 'user', text, at };
  else if (role === 'assistant') yield { type: 'reply', parts: [{ type: 'text', text }], at };
  else if (role !== 'system' && role !== 'developer') {
    yield {
      type: 'problem',
      where,
      problem: `a message of the unknown role ${stringOf(role) ?? kindOf(role)}`,
    };
  }
}

function thoughtOf(item: Json): string {
  return contentText(get(item, 'summary')) + contentText(get(item, 'content'));
}

function callOf(item: Json, type: string): Part {
  const tool = stringOf(get(item, 'name')) ?? type.replace(/_call$/, '');
  const args = get(item, 'arguments') ?? get(item, 'input') ?? get(item, 'action') ?? get(item, 'operation');
  return { type: 'call', id: callId(item), tool, args: unpacked(args) };
}

function hostedCallOf(item: Json, type: string): Part {
  const tool = stringOf(get(item, 'name')) ?? type.replace(/_call$/, '');
  const names = ['arguments', 'action', 'queries', 'code'];
  const args = names.map((name) => get(item, name)).find((value) => value !== undefined);
  const failure = get(item, 'error');
  const result = get(item, 'output') ?? get(item, 'results') ?? get(item, 'outputs') ?? failure;
  const error = (failure !== undefined && failure !== null) || get(item, 'status') === 'failed';
  return { type: 'call', id: callId(item), tool, args: unpacked(args), outcome: { result, error } };
}

function callId(item: Json): string | undefined {
  return idOf(get(item, 'call_id')) ?? idOf(get(item, 'callId')) ?? idOf(get(item, 'id'));
}

/** An output may be wrapped with whether it is a success. */
function unwrapped(output: Json | undefined): Json | undefined {
  return typeof get(output, 'success') === 'boolean' ? get(output, 'content') : output;
}

function failedBy(item: Json): boolean | undefined {
  const success = get(item, 'output', 'success');
  if (typeof success === 'boolean') return !success;
  return get(item, 'status') === 'incomplete' || get(item, 'status') === 'failed' ? true : undefined;
}
