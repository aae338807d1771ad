/** How much a line matters; whoever asks for one level gets those after it as well. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof logLevels)[number];

/** What a line of the log is about. */
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

/** `fields` never has a key that every line has: level, time, session, seq, kind, msg. */
export type LogRecord = {
  readonly level: LogLevel;
  readonly kind: LogKind;
  readonly msg: string;
  readonly fields: Readonly<Record<string, unknown>>;
};
