import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Json } from '@pawl/governor';
import { getOwnField, getStringField, toJsonFields, type JsonFields } from '../json-fields.ts';

/** How much of the end of a transcript is read: first a little, then as much as one long command output needs. */
const tailSizes = [64 * 1_024, 2 * 1_024 * 1_024] as const;

/**
 * Reads from Codex's transcript whether a call succeeded: its hook input has the output of a command but not the exit
 * code, whereas the transcript has both before the hook runs. Returns undefined if the transcript does not say.
 */
export function readCodexCallSuccess(transcriptPath: string, callId: string): boolean | undefined {
  return searchTranscript(transcriptPath, callId, findCallSuccess);
}

/**
 * Reads from Codex's transcript which reply a call belongs to. The calls of a reply are written before any of their
 * results, so the calls after the same result are of the same reply; its id is the position of that result. Returns
 * undefined if the transcript does not say.
 */
export function readCodexCallReply(transcriptPath: string, callId: string): string | undefined {
  return searchTranscript(transcriptPath, callId, findCallReply);
}

/** The end of a transcript. */
type TranscriptTail = {
  readonly content: Buffer;
  /** Position of the content in the file. */
  readonly position: number;
};

/** Searches more and more of the end of a transcript; returns undefined if it cannot be read, or says nothing. */
function searchTranscript<Found>(
  path: string,
  callId: string,
  find: (tail: TranscriptTail, callId: string) => Found | undefined,
): Found | undefined {
  if (path === '' || callId === '') return undefined;
  try {
    for (const size of tailSizes) {
      const tail = readFileTail(path, size);
      const found = tail.content.includes(callId) ? find(tail, callId) : undefined;
      if (found !== undefined || tail.position === 0) return found;
    }
  } catch {
    // A transcript that cannot be read says nothing; the rest of the hook input still counts.
  }
  return undefined;
}

function readFileTail(path: string, size: number): TranscriptTail {
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return { content: Buffer.alloc(0), position: 0 };
    const content = Buffer.alloc(Math.min(size, stats.size));
    const position = stats.size - content.length;
    const length = readSync(file, content, 0, content.length, position);
    return { content: content.subarray(0, length), position };
  } finally {
    closeSync(file);
  }
}

/** Yields the lines from the last to the first, because what a hook asks for is among the last lines. */
function* readLinesBackwards({ content, position }: TranscriptTail): Generator<{ at: number; line: string }> {
  for (let end = content.length; end >= 0;) {
    const start = end === 0 ? 0 : content.lastIndexOf('\n', end - 1) + 1;
    yield { at: position + start, line: content.toString('utf8', start, end) };
    end = start - 1;
  }
}

function findCallSuccess(tail: TranscriptTail, callId: string): boolean | undefined {
  for (const { line } of readLinesBackwards(tail)) {
    const success = line.includes(callId) ? parseCallSuccess(line, callId) : undefined;
    if (success !== undefined) return success;
  }
  return undefined;
}

function findCallReply(tail: TranscriptTail, callId: string): string | undefined {
  let isCallFound = false;
  for (const { at, line } of readLinesBackwards(tail)) {
    const type: string = /_(?:call|output)"/.test(line) ? getItemType(line, isCallFound ? null : callId) : '';
    if (isCallFound && type.endsWith('_output')) return String(at);
    isCallFound ||= type.endsWith('_call');
  }
  return isCallFound && tail.position === 0 ? 'first' : undefined;
}

function parseCallSuccess(line: string, callId: string): boolean | undefined {
  const payload = toJsonFields(getOwnField(parseJsonFields(line), 'payload')) ?? {};
  const item = toJsonFields(getOwnField(payload, 'item'));
  // Older versions of Codex write `exec_command_end` events with a call id instead of items.
  if (item === null)
    return getStringField(payload, 'call_id') === callId ? toExitSuccess(payload) : undefined;
  if (getStringField(payload, 'type') !== 'item_completed' || getStringField(item, 'id') !== callId)
    return undefined;
  const status = getStringField(item, 'status');
  return toExitSuccess(item) ?? (status === 'failed' ? false : status === 'completed' ? true : undefined);
}

/** Returns the type of an item of the conversation; empty if it is none, or not of this call. */
function getItemType(line: string, callId: string | null): string {
  const payload = toJsonFields(getOwnField(parseJsonFields(line), 'payload')) ?? {};
  return callId === null || getStringField(payload, 'call_id') === callId
    ? getStringField(payload, 'type')
    : '';
}

function toExitSuccess(fields: JsonFields): boolean | undefined {
  const exitCode = getOwnField(fields, 'exit_code');
  return typeof exitCode === 'number' ? exitCode === 0 : undefined;
}

function parseJsonFields(line: string): JsonFields {
  try {
    return toJsonFields(JSON.parse(line) as Json) ?? {};
  } catch {
    return {};
  }
}
