import { readFile } from 'node:fs/promises';
import { ExportedSessionError, parseExportedSession, type ExportedSession } from '@pawl/runtime/logs';
import type { StoredEvent } from '@pawl/runtime/store';
import { UsageError } from '../../exit-codes.ts';
import type { SessionRecord } from '../../sessions/session-record.ts';

/** Reads a json or jsonl file of `pawl export`. */
export async function readSessionRecord(path: string): Promise<SessionRecord> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw createRecordError(path, error instanceof Error ? error.message : String(error));
  });
  const { created, metadata, events, head, stateHash } = parseRecord(path, text);
  return {
    id: created.id,
    about: metadata,
    parent: null,
    created,
    events: () => iterateEvents(events),
    head,
    stateHash,
  };
}

/** An event, by number, that differs from what was exported. */
export class BrokenRecordError extends Error {
  override readonly name = 'BrokenRecord';
  readonly seq: number;

  constructor(path: string, seq: number, reason: string) {
    super(`Event ${seq} of ${JSON.stringify(path)} differs from the exported event: ${reason}`);
    this.seq = seq;
  }
}

function parseRecord(path: string, text: string): ExportedSession {
  try {
    return parseExportedSession(text);
  } catch (error) {
    if (!(error instanceof ExportedSessionError)) throw error;
    throw error.seq === null
      ? createRecordError(path, error.message)
      : new BrokenRecordError(path, error.seq, error.message);
  }
}

async function* iterateEvents(events: readonly StoredEvent[]): AsyncGenerator<StoredEvent, void, undefined> {
  yield* events;
}

function createRecordError(path: string, reason: string): UsageError {
  return new UsageError(`Cannot read a session from ${JSON.stringify(path)}: ${reason}.`);
}
