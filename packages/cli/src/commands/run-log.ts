import { createEventLogger, logLevels, secretValues, type LogLevel, type Seen } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';
import { openRunFile } from './run-file.ts';
import { openTrace, type RunTrace, type TraceOptions } from './run-trace.ts';
import { oneOf } from '../one-of.ts';

export type LogOptions = TraceOptions & {
  /** A file to add what happens to, an object a line, without what was said. */
  readonly logFile?: string;
  readonly logLevel?: string;
};

/** What is written down of a run besides its session: the trace and the log, each if it was asked for. */
export function openRecords(options: LogOptions, root: string, warn: (line: string) => void): RunTrace {
  const level = levelOf(options);
  const trace = openTrace(options, root, warn);
  const log = openLog(options.logFile, level, warn);
  return {
    ...trace,
    see(seen) {
      trace.see(seen);
      log(seen);
    },
  };
}

function openLog(
  path: string | undefined,
  level: LogLevel,
  warn: (line: string) => void,
): (seen: Seen) => void {
  if (path === undefined) return () => undefined;
  const file = openRunFile({ name: 'log', path, warn });
  const write = (line: string): void => file.write(line);
  return createEventLogger({ write, level, redact: secretValues(process.env) }).see;
}

function levelOf({ logFile, logLevel }: LogOptions): LogLevel {
  if (logLevel === undefined) return 'info';
  if (logFile === undefined) throw new UsageError('--log-level needs a --log-file to write to.');
  return oneOf('level', logLevel, logLevels);
}
