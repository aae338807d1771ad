import { getTypeName, isJsonObject, toOptionalString, type Json } from '../json/json.ts';
import { omissionAdvice } from './record-counter.ts';
import type { TraceEntry } from './trace-format.ts';

/** Creates the entry for a record whose type a reader does not know. */
export function createUnknownEntry(record: Json, location: string, kind = getRecordKind(record)): TraceEntry {
  return {
    type: 'unknown',
    location,
    kind,
    hasCall: callKind.test(kind) || containsCall(record),
  };
}

/** Creates the problem for a message that a reader cannot use. */
export function createMessageProblem(message: Json, location: string, problem: string): TraceEntry {
  if (!containsCall(message)) return { type: 'problem', location, problem };
  return {
    type: 'problem',
    location,
    problem: `${problem}, with a call; ${omissionAdvice}`,
    hidesCall: true,
  };
}

function getRecordKind(record: Json): string {
  if (!isJsonObject(record)) return '';
  return getTypeName(record) || toOptionalString(record['role']) || toOptionalString(record['kind']) || '';
}

/** Types with such a word are about calls of tools, whatever their fields. */
const callKind = /tool|call|function|command|exec|invocation/i;

const toolNames = ['name', 'tool', 'toolName', 'tool_name', 'function', 'command', 'action'];
const argumentNames = ['arguments', 'args', 'input', 'parameters', 'params', 'toolInput', 'tool_input'];

/** How deep a call may be in a record: in the list of calls in a message of it. */
const callDepthMax = 4;

/** Whether a record has an object with the name of a tool and arguments. The definition of a tool has a description. */
export function containsCall(value: Json, depth = callDepthMax): boolean {
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  if (isJsonObject(value) && hasAny(value, toolNames) && hasAny(value, argumentNames))
    return !Object.hasOwn(value, 'description');
  return Object.values(value).some((inner: Json) => containsCall(inner, depth - 1));
}

/** Whether anything of a session was read, or calls in it could not be. */
export function hasKnownEntry(entries: readonly TraceEntry[]): boolean {
  return entries.some((entry) => entry.type !== 'unknown' || entry.hasCall);
}

function hasAny(value: Json, names: readonly string[]): boolean {
  return isJsonObject(value) && names.some((name) => Object.hasOwn(value, name));
}
