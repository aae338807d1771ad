/** Log levels in ascending order of severity. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof logLevels)[number];

/** The subject of a log record. */
export type LogKind =
  | 'transition'
  | 'action'
  | 'verdict'
  | 'retry'
  | 'permission'
  | 'memory'
  | 'phase'
  | 'tool'
  | 'model'
  | 'session'
  | 'refused'
  | 'event';

/** `fields` must not use the keys of every record: level, time, session, seq, kind, msg. */
export type LogRecord = {
  readonly level: LogLevel;
  readonly kind: LogKind;
  readonly msg: string;
  readonly fields: Readonly<Record<string, unknown>>;
};
