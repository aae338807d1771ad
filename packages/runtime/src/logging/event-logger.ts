import { createRequire } from 'node:module';
import { getConversation, isEphemeralEvent, type Session } from '@pawl/core';
import { toReplayedStep } from '@pawl/core/projections';
import type * as Pino from 'pino';
import type { StepResult } from '../agent/agent.ts';

import type { LogLevel, LogRecord } from './log-record.ts';
import { maskSecrets } from './mask-secrets.ts';
import { buildEventRecords } from './event-records.ts';
import { buildActionRecord, buildNoteRecord } from './note-records.ts';

export type EventLoggerOptions = {
  /** Receives one line, including its trailing newline. */
  readonly write: (line: string) => void;
  /** Minimum level; `info` by default. */
  readonly level?: LogLevel;
  /** Literal values to mask, in addition to text that looks like a secret. */
  readonly redact?: readonly string[];
};

export type EventLogger = {
  /** Call from the observer of one or several agents. */
  readonly observe: (result: StepResult) => void;
};

/** Longer texts are truncated; traces contain them in full. */
const logTextMax = 1_000;

/** Logs an agent's steps as JSON Lines: level, time, session, seq, kind and the fields of that kind. */
export function createEventLogger({ write, level = 'info', redact = [] }: EventLoggerOptions): EventLogger {
  const log = loadPino().pino(
    { level, base: null, timestamp: false, formatters: { level: (label) => ({ level: label }) } },
    { write },
  );
  let last: Session | null = null;
  return {
    observe(result) {
      const { event, session } = result;
      if (isEphemeralEvent(event)) return;
      const before = last?.id === session.id ? last : createUnknownSession(session);
      for (const record of buildLogRecords(result, before)) {
        if (!log.isLevelEnabled(record.level)) continue;
        const { kind, fields, msg } = record;
        const line = { time: event.at, session: session.id, seq: session.seq, kind, ...fields };
        log[record.level](maskSecrets(line, { secrets: redact, textMax: logTextMax }), msg);
      }
      last = session;
    },
  };
}

/** Stands for the session before the first observed event, about whose work nothing is known. */
function createUnknownSession(after: Session): Session {
  const { since } = after.turn;
  return { ...after, turn: { status: 'waitingForUser', since, conversation: getConversation(after) } };
}

/** Of a rejected event, only the rejection is logged. */
function buildLogRecords(result: StepResult, before: Session): readonly LogRecord[] {
  const { event, notes, actions } = result;
  const isAccepted = !notes.some(({ type }) => type === 'refused');
  const eventRecord: LogRecord = { level: 'trace', kind: 'event', msg: 'event accepted', fields: { event } };
  return [
    ...(isAccepted ? [eventRecord, ...buildEventRecords(toReplayedStep(before, result))] : []),
    ...notes.map((note) => buildNoteRecord(note)),
    ...actions.map((action) => buildActionRecord(action)),
  ];
}

/** Loaded synchronously on first use, so that agents without logging do not pay for it. */
function loadPino(): typeof Pino {
  return createRequire(import.meta.url)('pino') as typeof Pino;
}
