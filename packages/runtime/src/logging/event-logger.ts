import { createRequire } from 'node:module';
import { isEphemeral, type Session } from '@pawl/core';
import type * as Pino from 'pino';
import type { Seen } from '../agent.ts';
import type { Around } from './calls-around.ts';
import type { LogLevel, LogRecord } from './log-record.ts';
import { maskSecrets } from './mask-secrets.ts';
import { recordsOfEvent } from './records-of-event.ts';
import { recordOfAction, recordOfNote } from './records-of-notes.ts';

export type EventLoggerOptions = {
  /** Takes one line, with the newline at its end. */
  readonly write: (line: string) => void;
  /** What matters less is left out; `info` unless said otherwise. */
  readonly level?: LogLevel;
  /** Texts that must never be written, besides what looks like a secret. */
  readonly redact?: readonly string[];
};

export type EventLogger = {
  /** To be told what an observer of an agent is told; of one agent or of several. */
  readonly see: (seen: Seen) => void;
};

/** More of a text than this is for a trace. */
const textMax = 1_000;

/** Writes what an agent does as JSON, an object a line: level, time, session, seq, kind, and what belongs to that kind. */
export function createEventLogger({ write, level = 'info', redact = [] }: EventLoggerOptions): EventLogger {
  const log = loadPino().pino(
    { level, base: null, timestamp: false, formatters: { level: (label) => ({ level: label }) } },
    { write },
  );
  let last: Session | null = null;
  return {
    see(seen) {
      const { event, session } = seen;
      if (isEphemeral(event)) return;
      const around = { before: last?.id === session.id ? last : null, after: session };
      for (const record of recordsOf(seen, around)) {
        if (!log.isLevelEnabled(record.level)) continue;
        const { kind, fields, msg } = record;
        const line = { time: event.at, session: session.id, seq: session.seq, kind, ...fields };
        log[record.level](maskSecrets(line, { secrets: redact, textMax }), msg);
      }
      last = session;
    },
  };
}

/** Of an event that changed nothing, only the refusal is worth a line. */
function recordsOf({ event, notes, actions }: Seen, around: Around): readonly LogRecord[] {
  const isTaken = !notes.some(({ type }) => type === 'refused');
  const whole: LogRecord = { level: 'trace', kind: 'event', msg: 'took an event', fields: { event } };
  return [
    ...(isTaken ? [whole, ...recordsOfEvent(event, around)] : []),
    ...notes.map((note) => recordOfNote(note)),
    ...actions.map((action) => recordOfAction(action)),
  ];
}

/** Only now, at once and without waiting: whoever does not log does not pay for it. */
function loadPino(): typeof Pino {
  return createRequire(import.meta.url)('pino') as typeof Pino;
}
