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
  if (transcriptPath === '' || callId === '') return undefined;
  try {
    for (const size of tailSizes) {
      const { text, isComplete } = readFileTail(transcriptPath, size);
      const success = findCallSuccess(text, callId);
      if (success !== undefined || isComplete) return success;
    }
  } catch {
    // A transcript that cannot be read says nothing; the output of the call still counts.
  }
  return undefined;
}

function readFileTail(path: string, size: number): { text: string; isComplete: boolean } {
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return { text: '', isComplete: true };
    const buffer = Buffer.alloc(Math.min(size, stats.size));
    const length = readSync(file, buffer, 0, buffer.length, stats.size - buffer.length);
    return { text: buffer.toString('utf8', 0, length), isComplete: buffer.length === stats.size };
  } finally {
    closeSync(file);
  }
}

/** Searches backwards, because the result of a call that just ended is among the last lines. */
function findCallSuccess(text: string, callId: string): boolean | undefined {
  const lines = text.split('\n');
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? '';
    const success = line.includes(callId) ? parseCallSuccess(line, callId) : undefined;
    if (success !== undefined) return success;
  }
  return undefined;
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
