import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { ensureParentFolder } from '@pawl/runtime/data-folder';
import { replaceFileSync } from '@pawl/runtime/platform';
import { UsageError } from '../output/exit-codes.ts';
import {
  getFeedbackKey,
  parseFeedbackLines,
  type VerdictFeedbackRepository,
  type SessionVerdictFeedback,
  type FeedbackReadResult,
} from './verdict-feedback.ts';

/** Stores feedback in a file beside the database. The file is append-only, except when feedback is withdrawn. */
export function createFeedbackFile(database: string): VerdictFeedbackRepository {
  const path = getFeedbackPath(database);
  return {
    keep: async (feedback) => appendFeedback(path, feedback),
    forget: async (verdict) => removeFeedback(path, getFeedbackKey(verdict)),
    read: async () => readFeedbackFile(database),
  };
}

/** Reads all feedback, including that on removed sessions. */
export function readFeedbackFile(database: string): FeedbackReadResult {
  const lines = readFeedbackText(getFeedbackPath(database)).split('\n');
  return parseFeedbackLines(lines.filter((line) => line.trim() !== ''));
}

function getFeedbackPath(database: string): string {
  return `${database}.marks.jsonl`;
}

function appendFeedback(path: string, feedback: SessionVerdictFeedback): void {
  try {
    ensureParentFolder(path);
    // The leading newline separates this line from a truncated one before it.
    appendFileSync(path, `\n${JSON.stringify(feedback)}\n`, { mode: 0o600 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Cannot save the mark in ${path}: ${reason}`, { cause: error });
  }
}

/** Withdrawn feedback is removed from the file. */
function removeFeedback(path: string, key: string): void {
  ensureParentFolder(path);
  const lines = readFileSync(path, { encoding: 'utf8', flag: 'a+' }).split('\n');
  const remaining = lines.filter((line) => line.trim() !== '' && parseFeedbackKey(line) !== key);
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, remaining.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  replaceFileSync(temporary, path);
}

/** Null for a line that is not feedback; such lines stay unchanged. */
function parseFeedbackKey(line: string): string | null {
  const [mark] = parseFeedbackLines([line]).marks;
  return mark === undefined ? null : getFeedbackKey(mark);
}

function readFeedbackText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Cannot read the verdict marks from ${path}: ${reason}`, { cause: error });
  }
}
