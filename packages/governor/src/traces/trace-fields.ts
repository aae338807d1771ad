import {
  toOptionalBoolean,
  getJsonPath,
  toOptionalId,
  toOptionalList,
  toOptionalNumber,
  toOptionalString,
  parseNestedJson,
  toOptionalCount,
  isJsonObject,
  getTypeName,
  type Json,
} from '../json/json.ts';
import type { RecordedRun, RecordedStep } from './trace-format.ts';

export type TraceRunFacts = Omit<RecordedRun, 'steps'>;

const runIdNames = ['id', 'instance_id', 'task_id', 'session_id', 'conversation_id', 'trace_id', 'run_id'];

/** Reads the facts about a run other than its steps. */
export function readRunFacts(document: Json, name: string, source: string): TraceRunFacts {
  const model = toOptionalString(getJsonPath(document, 'model'));
  const success = readRunSuccess(document);
  const task =
    toOptionalString(getJsonPath(document, 'task')) ??
    toOptionalString(getJsonPath(document, 'problem_statement'));
  return {
    id: findRunId(document) ?? name,
    source,
    ...(model === undefined ? {} : { model }),
    ...(success === undefined ? {} : { success }),
    ...(task === undefined ? {} : { task }),
  };
}

/** Reads whether the task was solved, in the fields benchmarks use. */
export function readRunSuccess(document: Json | undefined): boolean | undefined {
  const success =
    toOptionalBoolean(getJsonPath(document, 'resolved')) ??
    toOptionalBoolean(getJsonPath(document, 'success'));
  if (success !== undefined) return success;
  const reward = toOptionalNumber(getJsonPath(document, 'reward'));
  return reward === undefined ? undefined : reward >= 1 - 1e-6;
}

/** Finds the messages of a conversation in any known wrapper, and their path. */
export function findMessages(
  document: Json,
): { readonly messages: readonly Json[]; readonly location: string } | null {
  const bare = toOptionalList(document);
  if (bare !== undefined) return { messages: bare, location: '' };
  for (const path of [
    ['messages'],
    ['values', 'messages'],
    ['outputs', 'messages'],
    ['request', 'messages'],
  ]) {
    const messages = toOptionalList(parseNestedJson(getJsonPath(document, ...path)));
    if (messages !== undefined) return { messages, location: path.join('.') };
  }
  return null;
}

function findRunId(document: Json): string | undefined {
  for (const name of runIdNames) {
    const id = toOptionalId(getJsonPath(document, name));
    if (id !== undefined) return id;
  }
  return undefined;
}

/** Usage of a model reply, as counted by its provider. */
export type TraceUsage = {
  readonly output: number | undefined;
  readonly input: number | undefined;
  /** The part of the input that was read from a cache. */
  readonly cached?: number | undefined;
};

const outputTokenNames = ['output_tokens', 'completion_tokens', 'outputTokens', 'completionTokens'];
const inputTokenNames = ['input_tokens', 'prompt_tokens', 'inputTokens', 'promptTokens'];

/** Anthropic counts cached input apart from `input_tokens`; other providers count it within. */
const cachedTokenNames = ['cache_read_input_tokens', 'cache_creation_input_tokens'];

const cacheReadNames = [
  'cache_read_input_tokens',
  'cached_input_tokens',
  'cachedInputTokens',
  'cachedTokens',
];

function findCacheRead(usage: Json | undefined): number | undefined {
  return (
    findFirstCount(usage, cacheReadNames) ??
    toOptionalCount(getJsonPath(usage, 'prompt_tokens_details', 'cached_tokens')) ??
    toOptionalCount(getJsonPath(usage, 'input_tokens_details', 'cached_tokens'))
  );
}

/** Parses usage in any of the spellings of providers and frameworks. */
export function parseTraceUsage(value: Json | undefined): TraceUsage | undefined {
  const output = findFirstCount(value, outputTokenNames);
  const uncached = findFirstCount(value, inputTokenNames);
  const cached = cachedTokenNames.map((name) => toOptionalCount(getJsonPath(value, name)) ?? 0);
  const input = uncached === undefined ? undefined : cached.reduce((sum, count) => sum + count, uncached);
  return output === undefined && input === undefined
    ? undefined
    : { output, input, cached: findCacheRead(value) };
}

/** Estimates the number of tokens for a number of characters. */
export function estimateTextTokens(characters: number): number {
  return Math.round(characters / 4);
}

/**
 * Estimates the length of a value as JSON, ignoring escapes. Iterative, so that deep nesting cannot overflow the stack.
 */
export function estimateJsonLength(value: Json | undefined): number {
  if (value === undefined) return 0;
  let length = 0;
  const pending: Json[] = [value];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    if (typeof item === 'string') length += item.length + 2;
    else if (typeof item !== 'object' || item === null) length += String(item).length;
    else length += measureContainer(item, pending);
  }
  return length;
}

/** Counts brackets, commas and names; nested values are queued. */
function measureContainer(item: readonly Json[] | { readonly [key: string]: Json }, pending: Json[]): number {
  const entries = Object.entries(item);
  for (const [, inner] of entries) pending.push(inner);
  const names = Array.isArray(item) ? 0 : entries.reduce((sum, [name]) => sum + name.length + 3, 0);
  return 2 + Math.max(0, entries.length - 1) + names;
}

function findFirstCount(value: Json | undefined, names: readonly string[]): number | undefined {
  for (const name of names) {
    const number = toOptionalCount(getJsonPath(value, name));
    if (number !== undefined) return number;
  }
  return undefined;
}

const dayMilliseconds = 86_400_000;

const isoTimePattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?)?\s?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Parses a time to milliseconds since 1970: an ISO date (UTC without a zone), or a number of seconds, milliseconds,
 * microseconds or nanoseconds, distinguished by magnitude.
 */
export function parseTraceTime(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return fromEpochNumber(value);
  if (typeof value !== 'string') return undefined;
  if (/^\d{9,19}(?:\.\d{1,9})?$/.test(value)) return fromEpochNumber(Number(value));
  const match = isoTimePattern.exec(value);
  return match === null ? undefined : fromIsoMatch(match);
}

function fromEpochNumber(value: number): number | undefined {
  if (!Number.isFinite(value) || value <= 0) return undefined;
  if (value < 1e11) return Math.round(value * 1e3);
  if (value < 1e14) return Math.round(value);
  return Math.round(value < 1e17 ? value / 1e3 : value / 1e6);
}

function fromIsoMatch(match: RegExpExecArray): number | undefined {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone = 'Z'] = match;
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return undefined;
  const clock = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const days = countDaysSinceEpoch(Number(year), Number(month), Number(day));
  return (
    days * dayMilliseconds +
    clock * 1_000 +
    Math.floor(Number(`0.${fraction}`) * 1_000) -
    parseZoneOffset(zone)
  );
}

/** Years start in March, so that the leap day is the last day of its year. */
function countDaysSinceEpoch(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + dayOfYear - 719_468;
}

function parseZoneOffset(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

/**
 * Returns the text of a message's content: a string, or a list of parts. A part that is not text (an image, a file) is
 * represented by its type in brackets, so that contents that differ in it do not read the same.
 */
export function getContentText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  const parts = toOptionalList(content);
  if (parts !== undefined) return parts.map(getPartText).filter(isNonEmptyText).join('\n');
  return isJsonObject(content) ? getPartText(content) : '';
}

/** Returns a tool result as text if it consists of text parts, otherwise unchanged. */
export function getResultContent(content: Json | undefined): Json | undefined {
  const parts = toOptionalList(content);
  if (parts !== undefined && parts.length > 0 && parts.every(isContentPart)) return getContentText(parts);
  return isContentPart(content) ? getPartText(content) : content;
}

function getPartText(part: Json): string {
  if (typeof part === 'string') return part;
  for (const name of ['text', 'content', 'refusal']) {
    const text = toOptionalString(getJsonPath(part, name));
    if (text !== undefined) return text;
  }
  const type = toOptionalString(getJsonPath(part, 'type'));
  return type === undefined ? '' : `[${type}]`;
}

function isContentPart(value: Json | undefined): value is Json {
  return (
    typeof getJsonPath(value, 'type') === 'string' &&
    (typeof getJsonPath(value, 'text') === 'string' || isMediaPart(value))
  );
}

function isMediaPart(part: Json | undefined): boolean {
  return /image|audio|file|document/.test(getTypeName(part));
}

function isNonEmptyText(text: string): boolean {
  return text !== '';
}

type RecordedStepFields = Pick<RecordedStep, 'i' | 'role'> & {
  readonly [Name in keyof RecordedStep]?: RecordedStep[Name] | undefined;
};

/** Creates a step of the fields that are not undefined. */
export function createRecordedStep(fields: RecordedStepFields): RecordedStep {
  const step: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name as keyof RecordedStepFields];
    if (value !== undefined) step[name] = value;
  }
  // Each value has the type of its field.
  return step as RecordedStep;
}

/** No tool takes or returns deeper values; the limit protects recursive printers and comparisons. */
const traceDepthMax = 100;

/** Returns the value itself, or a copy truncated at the maximum depth. */
export function limitDepth(value: Json | undefined): Json | undefined {
  return value !== undefined && exceedsDepth(value, traceDepthMax) ? cutAtDepth(value, traceDepthMax) : value;
}

function exceedsDepth(value: Json, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((item) => exceedsDepth(item, left - 1));
}

function cutAtDepth(value: Json, left: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (left === 0) return '…';
  if (isJsonArray(value)) return value.map((item) => cutAtDepth(item, left - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cutAtDepth(item, left - 1)]));
}

function isJsonArray(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
