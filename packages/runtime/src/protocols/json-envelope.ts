import type { Json, RequestedCall } from '@pawl/core';
import { anyJson } from '../schema/json-value.ts';
import { oneLine, shown } from '../schema/one-line.ts';
import { readCall, type ReadCall } from './arguments.ts';
import type { ProtocolContext } from './codec.ts';
import { nothingSaid, type Problem, type Said } from './decision.ts';
import {
  fieldsOf,
  firstOf,
  isList,
  isObject,
  plainName,
  textOf,
  type Fields,
  type JsonObject,
} from './fields.ts';
import type { JsonReader } from './json-read.ts';

/** What an object says when it is an envelope. */
export type Envelope = { readonly said: Said; readonly problems: readonly Problem[] };

type Means = { readonly context: ProtocolContext; readonly reader: JsonReader };

/*
 * The field names of the envelopes in use, as plain names. Each list is in the order of who wins.
 */
const names = {
  think: ['thinklog', 'thinkinglog', 'reasoning', 'thought', 'thoughts'],
  evaluation: ['evaluationlog'],
  calls: ['calls', 'toolcalls', 'actions'],
  tool: ['toolname', 'tool'],
  args: ['args', 'arguments', 'parameters', 'params', 'input', 'actioninput', 'toolinput', 'toolargs'],
  answer: ['final', 'finalanswer', 'answer'],
  /** Only looked at once the action says that this is the end. */
  ending: ['result', 'summary', 'message', 'error', 'text'],
  other: ['action', 'agent', 'nextstate', 'name', 'function', 'type', 'id', 'callid', 'toolcallid', 'index'],
} as const;

/** What may stand beside a call, or beside a note or an answer, without being part of it. */
const besideCall: ReadonlySet<string> = new Set([
  ...names.think,
  ...names.evaluation,
  ...names.tool,
  ...names.other,
]);
const besideRest: ReadonlySet<string> = new Set([...besideCall, ...names.answer]);

/** What `action` may say besides the name of a tool. */
const verbs = {
  call: ['tool', 'toolcall', 'calltool', 'usetool', 'function', 'functioncall', 'call'],
  end: ['finish', 'final', 'finalanswer', 'answer', 'done', 'complete', 'error'],
  think: ['reason', 'reasoning', 'think', 'thinking', 'none'],
} as const;

/** Reads an envelope; null when the value is not one. */
export function readEnvelope(value: Json, means: Means): Envelope | null {
  if (isList(value)) return value.some(isCall) ? collect(nothingSaid, value, means) : null;
  if (!isObject(value)) return null;
  const agent = fieldsOf(value).get('agent');
  const inner = isObject(agent) ? agent : value;
  const fields = fieldsOf(inner);
  const said: Said = {
    ...nothingSaid,
    nextState: textOf(fields.get('nextstate')),
    logs: {
      think: textOf(firstOf(fields, names.think)),
      evaluation: textOf(firstOf(fields, names.evaluation)),
    },
  };
  return readAction(said, inner, fields, means) ?? readRest(said, inner, isObject(agent));
}

/** What says where to go is an envelope. A note or an answer is one only by itself: else it is JSON about something. */
function readRest(said: Said, value: JsonObject, isAgent: boolean): Envelope | null {
  if (isAgent || said.nextState !== null) return { said, problems: [] };
  const answer = textOf(firstOf(fieldsOf(value), names.answer));
  const isEmpty = (said.logs.think ?? said.logs.evaluation ?? answer) === null;
  return isEmpty || strangeKey(value, besideRest) !== undefined
    ? null
    : { said: { ...said, answer }, problems: [] };
}

/** Some ask for what is to be done in a list, some under `action`, some write the call itself. */
function readAction(said: Said, value: JsonObject, fields: Fields, means: Means): Envelope | null {
  const list = firstOf(fields, names.calls);
  if (isList(list) && list.length > 0) return collect(said, list, means);
  const action = fields.get('action');
  if (isList(action)) return collect(said, action, means);
  if (isObject(action)) return collect(said, Object.keys(action).length === 0 ? [] : [action], means);
  if (typeof action === 'string' && action.trim() !== '') return byVerb(said, value, action.trim(), means);
  return isCall(value) ? collect(said, [value], means) : null;
}

function byVerb(said: Said, value: JsonObject, action: string, means: Means): Envelope {
  const fields = fieldsOf(value);
  const verb = plainName(action);
  const isTool = means.context.tools.some(({ name }) => name === action);
  const tool = textOf(firstOf(fields, names.tool));
  if (isTool) return collect(said, [value], means, action);
  if (isOneOf(verbs.end, verb)) return ended(said, fields);
  if (isOneOf(verbs.think, verb)) return { said, problems: [] };
  if (isOneOf(verbs.call, verb) || tool !== null) return collect(said, [value], means);
  // Names of tools look like `context.search` or `read_file`; whoever runs tools says which there are.
  if (/[._]/.test(action)) return collect(said, [value], means, action);
  const known = means.context.tools.map(({ name }) => name).join(', ');
  const hint = `Use "tool" with the name of a tool, "reason" or "finish".${known === '' ? '' : ` The tools are: ${known}.`}`;
  const what = `there is no action ${shown(action)}`;
  return { said, problems: [{ what, where: '"action"', hint }] };
}

function isOneOf(list: readonly string[], name: string): boolean {
  return list.includes(name);
}

function ended(said: Said, fields: Fields): Envelope {
  const args = firstOf(fields, names.args);
  const inner = isObject(args) ? fieldsOf(args) : new Map<string, Json>();
  const endings = [...names.answer, ...names.ending];
  const answer = answerText(firstOf(fields, endings) ?? firstOf(inner, endings) ?? args);
  if (answer !== null) return { said: { ...said, answer }, problems: [] };
  const hint = 'Put the whole answer, as text, under "final".';
  return { said, problems: [{ what: 'the answer is missing', where: '"final"', hint }] };
}

function answerText(value: Json | undefined): string | null {
  if (!isObject(value) && !isList(value)) return textOf(value);
  // Writing what is nested too deep would exhaust the stack.
  return anyJson.safeParse(value).success ? JSON.stringify(value) : null;
}

/** Whether an object asks for a tool by itself. A name alone does not: many things have one. */
function isCall(value: Json): boolean {
  if (!isObject(value)) return false;
  const fields = fieldsOf(value);
  if (textOf(firstOf(fields, names.tool)) !== null || fields.has('function')) return true;
  if (typeof fields.get('action') === 'string') return true;
  return textOf(fields.get('name')) !== null && names.args.some((name) => fields.has(name));
}

function collect(said: Said, list: readonly Json[], { reader }: Means, tool?: string): Envelope {
  const read = list.map((value, index) => {
    const where = list.length === 1 ? 'the call' : `call ${index + 1} of ${list.length}`;
    return callOf(value, { reader, where, tool });
  });
  const calls = read.map(({ call }) => call).filter((call): call is RequestedCall => call !== undefined);
  const problems = read.map(({ problem }) => problem).filter((each): each is Problem => each !== undefined);
  return { said: { ...said, calls }, problems };
}

type CallMeans = { readonly reader: JsonReader; readonly where: string; readonly tool?: string | undefined };

function callOf(value: Json, { reader, where, tool }: CallMeans): ReadCall {
  if (!isObject(value)) {
    return { problem: { what: 'a call is not an object', where, hint: 'Write {"tool": …, "args": {…}}.' } };
  }
  const inner = fieldsOf(value).get('function');
  const call = isObject(inner) ? inner : value;
  const fields = fieldsOf(call);
  const id = textOf(firstOf(fieldsOf(value), ['id', 'callid', 'toolcallid'])) ?? undefined;
  if (tool === undefined && isAction(fields)) {
    return readCall({ id, tool: textOf(fields.get('type')) ?? '', args: withoutType(call) }, where, reader);
  }
  const named = tool ?? nameOf(fields);
  const unread = names.args.some((name) => fields.has(name)) ? undefined : strangeKey(call, besideCall);
  if (unread !== undefined) {
    const what = `${shown(unread)} stands beside the call of ${oneLine(named, 60)}, not in its arguments`;
    return { problem: { what, where, hint: 'Put all arguments into one object under "args".' } };
  }
  return readCall({ id, tool: named, args: firstOf(fields, names.args) }, where, reader);
}

function nameOf(fields: Fields): string {
  const name = textOf(firstOf(fields, [...names.tool, 'function', 'name']));
  const action = textOf(fields.get('action')) ?? '';
  return name ?? (isOneOf(verbs.call, plainName(action)) ? '' : action);
}

/** The other way to write a call: `type` names it, and its arguments stand beside `type`. */
function isAction(fields: Fields): boolean {
  const others = [...names.tool, ...names.args, 'name', 'function', 'action'];
  return typeof fields.get('type') === 'string' && !others.some((name) => fields.has(name));
}

function withoutType(action: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(action).filter(([name]) => plainName(name) !== 'type'));
}

/** A key that is not one of these and has something to say. */
function strangeKey(value: JsonObject, known: ReadonlySet<string>): string | undefined {
  const [key] = Object.entries(value).find(([name, item]) => isStrange(name, item, known)) ?? [];
  return key;
}

function isStrange(name: string, item: Json, known: ReadonlySet<string>): boolean {
  return item !== null && item !== '' && !known.has(plainName(name));
}
