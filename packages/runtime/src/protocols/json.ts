import type { Json, RequestedCall, ToolMessage, JsonObject } from '@pawl/core';
import { isJsonObject } from '@pawl/governor/json';
import {
  emptyReplyPayload,
  finalizeDecision,
  type ProtocolCodec,
  type ProtocolContext,
  type ModelDecision,
  type ReplyProblem,
  type ReplyPayload,
} from './decision.ts';
import { createJsonReader, type JsonReader, findJsonSegments, type JsonSegment } from './json-reader.ts';
import { describeTool, buildSamplePayload } from './parameters.ts';
import { joinReasoning, splitReasoning } from './reasoning.ts';
import { extractSurroundingProse, createScanSource, type ScanSource } from './scan-source.ts';
import { anyJsonSchema } from '../schema/json-value.ts';
import { toPrintableLine, formatShortValue } from '../text/one-line.ts';
import { parseToolCall, type ParsedCall } from './arguments.ts';
import {
  toFieldMap,
  findFirstField,
  isJsonArray,
  normalizeFieldName,
  toNonEmptyText,
  type JsonFieldMap,
} from './json-fields.ts';

/** Replies contain one JSON object in their text. */
export const jsonCodec: ProtocolCodec = {
  name: 'json',
  instructions: buildJsonInstructions,
  example(context) {
    const payload = buildSamplePayload(context);
    const isLast = payload.calls.length === 0 && payload.nextState === null;
    const logs = { ...payload.logs, think: 'why this is the next step' };
    return encodeJson({ ...payload, logs, answer: isLast ? 'the whole answer' : null }, context).text;
  },
  decode: ({ text }, context) => {
    const { think, rest } = splitReasoning(text);
    return decodeJson(createScanSource(rest), think, context);
  },
  encode: encodeJson,
  observe: (results) => results.map(formatJsonResult).join('\n'),
};

/** Decodes the first envelope in the text. `think` is the reasoning block before the text. */
export function decodeJson(
  source: ScanSource,
  think: string | null,
  context: ProtocolContext,
): ModelDecision {
  const { callsMax } = context;
  const reader = createJsonReader();
  let failed: { readonly problem: ReplyProblem; readonly isTraced: boolean } | null = null;
  for (const segment of findJsonSegments(source)) {
    const slice = source.slice(segment.start, segment.end);
    if (!mentionsEnvelope.test(slice)) continue;
    const value = readJsonSegment(source, segment, slice, reader);
    const envelope = value === null ? null : parseEnvelope(value, { protocol: context, reader });
    if (envelope !== null) {
      return finalizeDecision({
        ...attachProse(envelope, think, source, segment),
        isProtocolReply: true,
        callsMax,
      });
    }
    if (value === null) {
      failed ??= {
        problem: segment.ending === 'cut' ? truncatedJsonProblem : unreadableJsonProblem,
        isTraced: beginsEnvelope.test(slice),
      };
    }
  }
  const { problem, isTraced: isProtocolReply } = failed ?? { problem: missingJsonProblem, isTraced: false };
  const payload = {
    ...emptyReplyPayload,
    text: source.text.trim(),
    logs: { ...emptyReplyPayload.logs, think },
  };
  return finalizeDecision({ payload, problems: [problem], isProtocolReply, callsMax });
}

/** Only objects with one of these keys are worth repairing. */
const mentionsEnvelope =
  /\b(?:agent|action|actions|calls|tool|tool_?calls|tool_?name|function|name|next_?state|think(?:ing)?_?log|evaluation_?log|thoughts?|reasoning|final|final_?answer|answer)["'”]?\s*:/i;

/** An unreadable object was intended as an envelope if it begins like one; code in an answer rarely does. */
const beginsEnvelope =
  /^[{[\s]{1,9}["'](?:agent|action|actions|calls|tool|tool_?calls|tool_?name|next_?state|think(?:ing)?_?log|evaluation_?log|thoughts?|reasoning|final_?answer)["']\s*:/i;

/** Parses a JSON segment; null if it is incomplete or not JSON. */
function readJsonSegment(
  source: ScanSource,
  segment: JsonSegment,
  slice: string,
  reader: JsonReader,
): Json | null {
  // A truncated segment may lack more than brackets, and half a call must not be executed.
  if (segment.ending === 'cut') return null;
  const parsed = reader(slice);
  if (parsed === null) return null;
  // An unmatched closing bracket means that a string was assumed to end too early.
  return parsed.isRepaired && hasUnmatchedClosing(source, segment.end) ? null : parsed.value;
}

/** Whether the next bracket of any kind is a closing one. */
function hasUnmatchedClosing(source: ScanSource, from: number): boolean {
  let at = from;
  while (at < source.length && !'{}[]'.includes(String.fromCharCode(source.codeAt(at)))) at += 1;
  return at < source.length && '}]'.includes(source.slice(at, at + 1));
}

function attachProse(
  envelope: JsonEnvelope,
  think: string | null,
  source: ScanSource,
  segment: JsonSegment,
): JsonEnvelope {
  const { payload, problems } = envelope;
  const logs = { ...payload.logs, think: joinReasoning(think, payload.logs.think) };
  return { payload: { ...payload, text: extractSurroundingProse(source, segment), logs }, problems };
}

const missingJsonProblem: ReplyProblem = {
  problem: 'there is no JSON object with an action',
  location: 'the whole reply',
  hint: 'Reply with one JSON object and nothing else.',
};

const unreadableJsonProblem: ReplyProblem = {
  problem: 'the JSON is invalid',
  location: 'the JSON object',
  hint: 'Use double quotes, and escape quotes and line breaks inside strings.',
};

const truncatedJsonProblem: ReplyProblem = {
  problem: 'the JSON is cut off before its closing bracket',
  location: 'the end of the reply',
  hint: 'Send the whole object again. Make it shorter if it did not fit.',
};

function buildJsonInstructions({ tools, states, logs, callsMax }: ProtocolContext): string {
  const calls =
    callsMax > 1
      ? ['- For several tools at once, put {"tool": …, "args": …} for each into the list "calls".']
      : [];
  const lines = [
    'Reply with one JSON object and nothing else.',
    ...(tools.length > 0
      ? ['- To use a tool: "action": "tool", its name under "tool", its arguments under "args".']
      : []),
    ...(tools.length > 0 ? calls : []),
    ...(states.length > 0 ? [`- To change the state: "next_state", one of ${states.join(', ')}.`] : []),
    ...logs.map((log) => `- "${log}" may contain a note for later.`),
    ...(states.length === 0
      ? ['- To end with an answer: "action": "finish", the whole answer under "final".']
      : []),
    ...(tools.length > 0 ? ['The tools are:', ...tools.map(describeTool)] : []),
  ];
  return lines.join('\n');
}

function encodeJson(payload: ReplyPayload, context: ProtocolContext) {
  const { text, calls, nextState, logs, answer } = payload;
  const thinkName = context.logs.find((log) => log !== 'evaluation_log') ?? 'reasoning';
  const object = {
    ...(logs.think !== null && { [thinkName]: logs.think }),
    ...(logs.evaluation !== null && { evaluation_log: logs.evaluation }),
    ...(nextState !== null && { next_state: nextState }),
    ...toActionFields(calls),
    ...(answer !== null && { action: 'finish', final: answer }),
  };
  const json = JSON.stringify(object);
  return { text: text === '' ? json : `${text}\n${json}`, calls: [] };
}

function toActionFields(calls: readonly RequestedCall[]): { readonly [name: string]: Json } {
  const written = calls.map(({ id, tool, args }) => ({ ...(id !== undefined && { id }), tool, args }));
  const [first] = written;
  if (first === undefined) return {};
  return written.length === 1 ? { action: 'tool', ...first } : { calls: written };
}

function formatJsonResult({ tool, outcome }: ToolMessage): string {
  const result = outcome.ok
    ? { ok: true, output: outcome.output }
    : { ok: false, error: outcome.error.message };
  return JSON.stringify({ observation: { of: tool, ...result } });
}

/** The content of a JSON envelope. */
type JsonEnvelope = { readonly payload: ReplyPayload; readonly problems: readonly ReplyProblem[] };

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
function parseEnvelope(value: Json, context: EnvelopeContext): JsonEnvelope | null {
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
