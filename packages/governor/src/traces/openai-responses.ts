import {
  type Json,
  getJsonPath,
  toOptionalId,
  isJsonObject,
  describeJsonKind,
  toOptionalList,
  toOptionalString,
  getTypeName,
  parseNestedJson,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import {
  getContentText,
  getResultContent,
  findMessages,
  readRunFacts,
  parseTraceUsage,
} from './trace-fields.ts';
import {
  groupRepliesByTurn,
  type TraceEntry,
  type TracePart,
  type TraceReply,
  type TraceFormat,
} from './trace-format.ts';
import { createMessageProblem, createUnknownEntry } from './unknown-records.ts';

/** Items of the OpenAI Responses API and of the Agents SDK, which spells some names differently. */
export const openaiResponsesFormat: TraceFormat = {
  name: 'openai-responses',
  sign: 'items of the types function_call, function_call_output, reasoning or message (OpenAI Responses)',
  matches: (document) => listResponseItems(document).some(({ items }) => items.some(isResponseInputItem)),
  parse(document, name) {
    return buildRecordedRun(
      readRunFacts(document, name, 'openai-responses'),
      groupRepliesByTurn(readResponseEntries(document)),
    );
  },
};

const responseCallTypes: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'computer_call',
  'hosted_tool_call',
]);

/** Calls the provider runs itself: the item also holds the outcome. */
const hostedCallTypes: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
]);

/** Items about the conversation itself. */
const ignoredItemTypes: ReadonlySet<string> = new Set([
  'item_reference',
  'compaction',
  'compaction_summary',
  'context_compaction',
  'ghost_snapshot',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'other',
]);

const resultTypePattern =
  /^(?:function_call|custom_tool_call|local_shell_call|shell_call|apply_patch_call|computer_call)_(?:output|result)$/;

export function isResponseItem(item: Json): boolean {
  const type = getTypeName(item);
  return (
    responseCallTypes.has(type) ||
    hostedCallTypes.has(type) ||
    resultTypePattern.test(type) ||
    type === 'reasoning'
  );
}

function isResponseInputItem(item: Json): boolean {
  return (
    isResponseItem(item) ||
    (getJsonPath(item, 'type') === 'message' && typeof getJsonPath(item, 'role') === 'string')
  );
}

type ItemList = { readonly items: readonly Json[]; readonly location: string };

function listResponseItems(document: Json): readonly ItemList[] {
  const wrapped = findMessages(document);
  const named = ['input', 'items', 'output'].map((location) => ({
    items: toOptionalList(getJsonPath(document, location)) ?? [],
    location,
  }));
  return wrapped === null ? named : [{ items: wrapped.messages, location: wrapped.location }, ...named];
}

function* readResponseEntries(document: Json): Generator<TraceEntry> {
  const inputText = toOptionalString(getJsonPath(document, 'input'));
  if (inputText !== undefined) yield { type: 'user', text: inputText };
  for (const { items, location } of listResponseItems(document)) {
    for (const [index, item] of items.entries()) yield* readResponseItem(item, `${location}[${index}]`);
  }
  const usage = parseTraceUsage(getJsonPath(document, 'usage'));
  if (usage !== undefined) yield { type: 'usage', usage };
}

/** Reads one item. A message may have no type. */
export function* readResponseItem(item: Json, location: string, at?: number): Generator<TraceEntry> {
  const type =
    toOptionalString(getJsonPath(item, 'type')) ??
    (typeof getJsonPath(item, 'role') === 'string' ? 'message' : '');
  const reply = (...parts: TracePart[]): TraceReply => ({ type: 'reply', parts, at });
  if (type === 'message') yield* readResponseInputMessage(item, location, at);
  else if (type === 'reasoning') yield reply({ type: 'thought', text: getReasoningText(item) });
  else if (responseCallTypes.has(type)) yield reply(parseResponseCall(item, type));
  else if (hostedCallTypes.has(type)) yield reply(parseHostedCall(item, type));
  else if (resultTypePattern.test(type)) {
    const [result, error] = [
      getResultContent(unwrapResponseOutput(getJsonPath(item, 'output'))),
      getResponseFailure(item),
    ];
    yield {
      type: 'result',
      id: getResponseCallId(item),
      tool: toOptionalString(getJsonPath(item, 'name')),
      result,
      error,
      location,
    };
  } else if (!isJsonObject(item))
    yield { type: 'problem', location, problem: `expected an item, got ${describeJsonKind(item)}` };
  else if (type === '') yield createMessageProblem(item, location, 'an item without a type');
  else if (!ignoredItemTypes.has(type)) yield createUnknownEntry(item, location);
}

function* readResponseInputMessage(
  item: Json,
  location: string,
  at: number | undefined,
): Generator<TraceEntry> {
  const role = getJsonPath(item, 'role');
  const text = getContentText(getJsonPath(item, 'content'));
  if (role === 'user') yield { type: 'user', text, at };
  else if (role === 'assistant') yield { type: 'reply', parts: [{ type: 'text', text }], at };
  else if (role !== 'system' && role !== 'developer') {
    const found = toOptionalString(role) ?? describeJsonKind(role);
    yield createMessageProblem(item, location, `a message of the unknown role ${found}`);
  }
}

function getReasoningText(item: Json): string {
  return getContentText(getJsonPath(item, 'summary')) + getContentText(getJsonPath(item, 'content'));
}

function parseResponseCall(item: Json, type: string): TracePart {
  const tool = toOptionalString(getJsonPath(item, 'name')) ?? type.replace(/_call$/, '');
  const args =
    getJsonPath(item, 'arguments') ??
    getJsonPath(item, 'input') ??
    getJsonPath(item, 'action') ??
    getJsonPath(item, 'operation');
  return { type: 'call', id: getResponseCallId(item), tool, args: parseNestedJson(args) };
}

function parseHostedCall(item: Json, type: string): TracePart {
  const tool = toOptionalString(getJsonPath(item, 'name')) ?? type.replace(/_call$/, '');
  const names = ['arguments', 'action', 'queries', 'code'];
  const args = names.map((name) => getJsonPath(item, name)).find((value) => value !== undefined);
  const failure = getJsonPath(item, 'error');
  const result =
    getJsonPath(item, 'output') ?? getJsonPath(item, 'results') ?? getJsonPath(item, 'outputs') ?? failure;
  const hasFailed = (failure !== undefined && failure !== null) || getJsonPath(item, 'status') === 'failed';
  return {
    type: 'call',
    id: getResponseCallId(item),
    tool,
    args: parseNestedJson(args),
    outcome: { result, error: hasFailed ? true : undefined },
  };
}

function getResponseCallId(item: Json): string | undefined {
  return (
    toOptionalId(getJsonPath(item, 'call_id')) ??
    toOptionalId(getJsonPath(item, 'callId')) ??
    toOptionalId(getJsonPath(item, 'id'))
  );
}

/** An output may be wrapped in an object with a success flag. */
function unwrapResponseOutput(output: Json | undefined): Json | undefined {
  return typeof getJsonPath(output, 'success') === 'boolean' ? getJsonPath(output, 'content') : output;
}

function getResponseFailure(item: Json): boolean | undefined {
  const success = getJsonPath(item, 'output', 'success');
  if (typeof success === 'boolean') return !success;
  return getJsonPath(item, 'status') === 'incomplete' || getJsonPath(item, 'status') === 'failed'
    ? true
    : undefined;
}
