import {
  type Json,
  describeJsonKind,
  getJsonPath,
  getTypeName,
  isJsonObject,
  toOptionalCount,
  toOptionalId,
  toOptionalList,
  toOptionalNumber,
  toOptionalString,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import { parseTraceTime, type TraceUsage } from './trace-fields.ts';
import type { TraceEntry, TraceFormat, TraceOutcome, TracePart } from './trace-format.ts';
import { createMessageProblem, createUnknownEntry } from './unknown-records.ts';

/**
 * opencode sessions as `opencode export` writes them: the facts of a session, and its messages with their parts. Its
 * files and its database hold the same in pieces.
 */
export const opencodeFormat: TraceFormat = {
  name: 'opencode',
  sign: 'an info beside messages that have an info and parts (opencode)',
  matches: (document) =>
    isJsonObject(getJsonPath(document, 'info')) &&
    (toOptionalList(getJsonPath(document, 'messages')) ?? []).some(isOpencodeMessage),
  parse(document, name) {
    const messages = toOptionalList(getJsonPath(document, 'messages')) ?? [];
    const info = getJsonPath(document, 'info');
    const model = messages
      .map((message) => toOptionalString(getJsonPath(message, 'info', 'modelID')))
      .find((found) => found !== undefined);
    const id = toOptionalId(getJsonPath(info, 'id')) ?? name;
    const parent = toOptionalId(getJsonPath(info, 'parentID'));
    const facts = {
      id: parent === undefined ? id : `${parent}/${id}`,
      source: 'opencode',
      ...(model === undefined ? {} : { model }),
    };
    return buildRecordedRun(facts, readOpencodeMessages(messages));
  },
};

function isOpencodeMessage(message: Json): boolean {
  const role = getJsonPath(message, 'info', 'role');
  return (
    (role === 'user' || role === 'assistant') && toOptionalList(getJsonPath(message, 'parts')) !== undefined
  );
}

function* readOpencodeMessages(messages: readonly Json[]): Generator<TraceEntry> {
  for (const [index, message] of messages.entries()) {
    const location = `messages[${index}]`;
    const info = getJsonPath(message, 'info');
    const role = getJsonPath(info, 'role');
    const parts = toOptionalList(getJsonPath(message, 'parts')) ?? [];
    const at = parseTraceTime(getJsonPath(info, 'time', 'created'));
    for (const [number, part] of parts.entries()) {
      const problem = `expected a part, got ${describeJsonKind(part)}`;
      const path = `${location}.parts[${number}]`;
      if (!isJsonObject(part)) yield { type: 'problem', location: path, problem };
      else if (!knownParts.has(getTypeName(part))) yield createUnknownEntry(part, path);
    }
    if (role === 'user') {
      const text = parts.flatMap(getOpencodeUserText).join('\n');
      if (text !== '') yield { type: 'user', text, at };
    } else if (role === 'assistant') {
      const replyParts = parts.flatMap(readOpencodePart);
      const usage = parseOpencodeUsage(getJsonPath(info, 'tokens'));
      // A request that failed has no reply.
      if (replyParts.length > 0 || usage !== undefined)
        yield { type: 'reply', parts: replyParts, at, usage, key: location };
    } else yield createMessageProblem(message, location, describeOpencodeProblem(message));
  }
}

const knownParts: ReadonlySet<string> = new Set([
  'agent',
  'compaction',
  'file',
  'patch',
  'reasoning',
  'retry',
  'snapshot',
  'step-finish',
  'step-start',
  'subtask',
  'text',
  'tool',
]);

function describeOpencodeProblem(message: Json): string {
  return isJsonObject(message)
    ? 'a message without a known role'
    : `expected a message, got ${describeJsonKind(message)}`;
}

/** Synthetic texts are inserted by the program, such as the contents of a mentioned file. */
function getOpencodeUserText(part: Json): readonly string[] {
  const text = getTypeName(part) === 'text' ? toOptionalString(getJsonPath(part, 'text')) : undefined;
  return text === undefined || getJsonPath(part, 'synthetic') === true ? [] : [text];
}

/** Snapshots, patches and the marks of steps are not part of the reply. */
function readOpencodePart(part: Json): readonly TracePart[] {
  const text = toOptionalString(getJsonPath(part, 'text')) ?? '';
  switch (getTypeName(part)) {
    case 'text':
      return text === '' ? [] : [{ type: 'text', text }];
    case 'reasoning':
      return [{ type: 'thought', text }];
    case 'tool': {
      const outcome = readOpencodeOutcome(getJsonPath(part, 'state'));
      return [
        {
          type: 'call',
          id: toOptionalId(getJsonPath(part, 'callID')),
          tool: toOptionalString(getJsonPath(part, 'tool')) ?? 'unknown',
          args: getJsonPath(part, 'state', 'input'),
          ...(outcome === undefined ? {} : { outcome }),
        },
      ];
    }
    default:
      return [];
  }
}

/** A command that ended with an error is completed for opencode, so its exit code decides. */
function readOpencodeOutcome(state: Json | undefined): TraceOutcome | undefined {
  const status = getJsonPath(state, 'status');
  const exitCode = toOptionalNumber(getJsonPath(state, 'metadata', 'exit'));
  if (status === 'error') return { result: getJsonPath(state, 'error'), error: true, exitCode };
  if (status !== 'completed') return undefined;
  const isCommand = getJsonPath(state, 'metadata', 'exit') !== undefined;
  return { result: getJsonPath(state, 'output'), error: isCommand ? undefined : false, exitCode };
}

/** opencode counts cached input apart from the input, and reasoning apart from the output. */
function parseOpencodeUsage(tokens: Json | undefined): TraceUsage | undefined {
  const count = (...path: readonly string[]): number => toOptionalCount(getJsonPath(tokens, ...path)) ?? 0;
  const input = count('input') + count('cache', 'read') + count('cache', 'write');
  const output = count('output') + count('reasoning');
  return input + output === 0 ? undefined : { input, output, cached: count('cache', 'read') };
}
