import { isJsonObject } from '@pawl/governor/json';
import type { Json, JsonObject, RequestedCall } from '@pawl/core';
import { anyJsonSchema } from '../schema/json-value.ts';
import { toPrintableLine, formatShortValue } from '../text/one-line.ts';
import { parseToolCall, type ParsedCall } from './arguments.ts';
import type { ProtocolContext } from './codec.ts';
import { emptyReplyPayload, type ReplyProblem, type ReplyPayload } from './decision.ts';
import {
  toFieldMap,
  findFirstField,
  isJsonArray,
  normalizeFieldName,
  toNonEmptyText,
  type JsonFieldMap,
} from './json-fields.ts';
import type { JsonReader } from './json-reader.ts';

/** The content of a JSON envelope. */
export type JsonEnvelope = { readonly payload: ReplyPayload; readonly problems: readonly ReplyProblem[] };

type EnvelopeContext = { readonly protocol: ProtocolContext; readonly reader: JsonReader };

/* The normalized field names of known envelope formats. Each list is in order of precedence. */
const fieldNames = {
  think: ['thinklog', 'thinkinglog', 'reasoning', 'thought', 'thoughts'],
  evaluation: ['evaluationlog'],
  calls: ['calls', 'toolcalls', 'actions'],
  tool: ['toolname', 'tool'],
  args: ['args', 'arguments', 'parameters', 'params', 'input', 'actioninput', 'toolinput', 'toolargs'],
  answer: ['final', 'finalanswer', 'answer'],
  /** Only used if the action says that this is the end. */
  ending: ['result', 'summary', 'message', 'error', 'text'],
  other: ['action', 'agent', 'nextstate', 'name', 'function', 'type', 'id', 'callid', 'toolcallid', 'index'],
} as const;

/** Keys that may appear next to a call, or next to a note or an answer, without being part of it. */
const keysBesideCall: ReadonlySet<string> = new Set([
  ...fieldNames.think,
  ...fieldNames.evaluation,
  ...fieldNames.tool,
  ...fieldNames.other,
]);
const keysBesideAnswer: ReadonlySet<string> = new Set([...keysBesideCall, ...fieldNames.answer]);

/** Values of `action` other than a tool name. */
const actionVerbs = {
  call: ['tool', 'toolcall', 'calltool', 'usetool', 'function', 'functioncall', 'call'],
  end: ['finish', 'final', 'finalanswer', 'answer', 'done', 'complete', 'error'],
  think: ['reason', 'reasoning', 'think', 'thinking', 'none'],
} as const;

/** Parses an envelope; null if the value is not one. */
export function parseEnvelope(value: Json, context: EnvelopeContext): JsonEnvelope | null {
  if (isJsonArray(value))
    return value.some(isCallObject) ? collectCalls(emptyReplyPayload, value, context) : null;
  if (!isJsonObject(value)) return null;
  const agent = toFieldMap(value).get('agent');
  const inner = isJsonObject(agent) ? agent : value;
  const fields = toFieldMap(inner);
  const payload: ReplyPayload = {
    ...emptyReplyPayload,
    nextState: toNonEmptyText(fields.get('nextstate')),
    logs: {
      think: toNonEmptyText(findFirstField(fields, fieldNames.think)),
      evaluation: toNonEmptyText(findFirstField(fields, fieldNames.evaluation)),
    },
  };
  return (
    parseEnvelopeAction(payload, inner, fields, context) ??
    parseStateOrAnswer(payload, inner, isJsonObject(agent))
  );
}

/**
 * A value with a next state is an envelope. A note or an answer is one only without unknown keys; otherwise it is
 * unrelated JSON.
 */
function parseStateOrAnswer(payload: ReplyPayload, value: JsonObject, isAgent: boolean): JsonEnvelope | null {
  if (isAgent || payload.nextState !== null) return { payload, problems: [] };
  const answer = toNonEmptyText(findFirstField(toFieldMap(value), fieldNames.answer));
  const isEmpty = (payload.logs.think ?? payload.logs.evaluation ?? answer) === null;
  return isEmpty || findUnknownKey(value, keysBesideAnswer) !== undefined
    ? null
    : { payload: { ...payload, answer }, problems: [] };
}

/** The action may be in a list, under `action`, or the object may be the call itself. */
function parseEnvelopeAction(
  payload: ReplyPayload,
  value: JsonObject,
  fields: JsonFieldMap,
  context: EnvelopeContext,
): JsonEnvelope | null {
  const list = findFirstField(fields, fieldNames.calls);
  if (isJsonArray(list) && list.length > 0) return collectCalls(payload, list, context);
  const action = fields.get('action');
  if (isJsonArray(action)) return collectCalls(payload, action, context);
  if (isJsonObject(action))
    return collectCalls(payload, Object.keys(action).length === 0 ? [] : [action], context);
  if (typeof action === 'string' && action.trim() !== '')
    return parseActionVerb(payload, value, action.trim(), context);
  return isCallObject(value) ? collectCalls(payload, [value], context) : null;
}

function parseActionVerb(
  payload: ReplyPayload,
  value: JsonObject,
  action: string,
  context: EnvelopeContext,
): JsonEnvelope {
  const fields = toFieldMap(value);
  const verb = normalizeFieldName(action);
  const isTool = context.protocol.tools.some(({ name }) => name === action);
  const tool = toNonEmptyText(findFirstField(fields, fieldNames.tool));
  if (isTool) return collectCalls(payload, [value], context, action);
  if (includesName(actionVerbs.end, verb)) return parseFinalAnswer(payload, fields);
  if (includesName(actionVerbs.think, verb)) return { payload, problems: [] };
  if (includesName(actionVerbs.call, verb) || tool !== null) return collectCalls(payload, [value], context);
  // Tool names look like `context.search` or `read_file`; the tool runner checks whether the tool exists.
  if (/[._]/.test(action)) return collectCalls(payload, [value], context, action);
  const known = context.protocol.tools.map(({ name }) => name).join(', ');
  const hint = `Use "tool" with the name of a tool, "reason" or "finish".${known === '' ? '' : ` The tools are: ${known}.`}`;
  const problem = `there is no action ${formatShortValue(action)}`;
  return { payload, problems: [{ problem, location: '"action"', hint }] };
}

function includesName(list: readonly string[], name: string): boolean {
  return list.includes(name);
}

function parseFinalAnswer(payload: ReplyPayload, fields: JsonFieldMap): JsonEnvelope {
  const args = findFirstField(fields, fieldNames.args);
  const inner = isJsonObject(args) ? toFieldMap(args) : new Map<string, Json>();
  const endings = [...fieldNames.answer, ...fieldNames.ending];
  const answer = toAnswerText(findFirstField(fields, endings) ?? findFirstField(inner, endings) ?? args);
  if (answer !== null) return { payload: { ...payload, answer }, problems: [] };
  const hint = 'Put the whole answer, as text, under "final".';
  return { payload, problems: [{ problem: 'the answer is missing', location: '"final"', hint }] };
}

function toAnswerText(value: Json | undefined): string | null {
  if (!isJsonObject(value) && !isJsonArray(value)) return toNonEmptyText(value);
  // Serializing a value that is nested too deeply would overflow the stack.
  return anyJsonSchema.safeParse(value).success ? JSON.stringify(value) : null;
}

/** Whether an object is a tool call by itself. A name alone is not enough, because many objects have one. */
function isCallObject(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  const fields = toFieldMap(value);
  if (toNonEmptyText(findFirstField(fields, fieldNames.tool)) !== null || fields.has('function')) return true;
  if (typeof fields.get('action') === 'string') return true;
  return toNonEmptyText(fields.get('name')) !== null && fieldNames.args.some((name) => fields.has(name));
}

function collectCalls(
  payload: ReplyPayload,
  list: readonly Json[],
  { reader }: EnvelopeContext,
  tool?: string,
): JsonEnvelope {
  const parsed = list.map((value, index) => {
    const location = list.length === 1 ? 'the call' : `call ${index + 1} of ${list.length}`;
    return parseEnvelopeCall(value, { reader, location, tool });
  });
  const calls = parsed.map(({ call }) => call).filter((call): call is RequestedCall => call !== undefined);
  const problems = parsed
    .map(({ problem }) => problem)
    .filter((each): each is ReplyProblem => each !== undefined);
  return { payload: { ...payload, calls }, problems };
}

type CallParseContext = {
  readonly reader: JsonReader;
  readonly location: string;
  readonly tool?: string | undefined;
};

function parseEnvelopeCall(value: Json, { reader, location, tool }: CallParseContext): ParsedCall {
  if (!isJsonObject(value)) {
    return {
      problem: { problem: 'a call is not an object', location, hint: 'Write {"tool": …, "args": {…}}.' },
    };
  }
  const inner = toFieldMap(value).get('function');
  const call = isJsonObject(inner) ? inner : value;
  const fields = toFieldMap(call);
  const id = toNonEmptyText(findFirstField(toFieldMap(value), ['id', 'callid', 'toolcallid'])) ?? undefined;
  if (tool === undefined && isTypedAction(fields)) {
    return parseToolCall(
      { id, tool: toNonEmptyText(fields.get('type')) ?? '', args: omitType(call) },
      location,
      reader,
    );
  }
  const toolName = tool ?? getToolName(fields);
  const unknownKey = fieldNames.args.some((name) => fields.has(name))
    ? undefined
    : findUnknownKey(call, keysBesideCall);
  if (unknownKey !== undefined) {
    const problem = `${formatShortValue(unknownKey)} is next to the call of ${toPrintableLine(toolName, 60)} instead of in its arguments`;
    return { problem: { problem, location, hint: 'Put all arguments into one object under "args".' } };
  }
  return parseToolCall(
    { id, tool: toolName, args: findFirstField(fields, fieldNames.args) },
    location,
    reader,
  );
}

function getToolName(fields: JsonFieldMap): string {
  const name = toNonEmptyText(findFirstField(fields, [...fieldNames.tool, 'function', 'name']));
  const action = toNonEmptyText(fields.get('action')) ?? '';
  return name ?? (includesName(actionVerbs.call, normalizeFieldName(action)) ? '' : action);
}

/** The alternative call format: `type` names the tool, and the arguments are its sibling fields. */
function isTypedAction(fields: JsonFieldMap): boolean {
  const others = [...fieldNames.tool, ...fieldNames.args, 'name', 'function', 'action'];
  return typeof fields.get('type') === 'string' && !others.some((name) => fields.has(name));
}

function omitType(action: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(action).filter(([name]) => normalizeFieldName(name) !== 'type'));
}

/** Finds a key with a non-empty value that is not in the known set. */
function findUnknownKey(value: JsonObject, known: ReadonlySet<string>): string | undefined {
  const [key] = Object.entries(value).find(([name, item]) => isUnknownKey(name, item, known)) ?? [];
  return key;
}

function isUnknownKey(name: string, item: Json, known: ReadonlySet<string>): boolean {
  return item !== null && item !== '' && !known.has(normalizeFieldName(name));
}
