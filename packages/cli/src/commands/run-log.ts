import {
  createEventLogger,
  logLevels,
  openRotatingFile,
  secretValues,
  type LogLevel,
  type Seen,
} from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';
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
  const onTrouble = (why: string): void => warn(`The log cannot be written to ${path} at the moment: ${why}`);
  try {
    const file = openRotatingFile(path, { onTrouble });
    const logger = createEventLogger({
      write: (line) => file.write(line),
      level,
      redact: secretValues(process.env),
    });
    return logger.see;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The log cannot be written to ${path}: ${why}`, { cause: error });
  }
}

function levelOf({ logFile, logLevel }: LogOptions): LogLevel {
  if (logLevel === undefined) return 'info';
  if (logFile === undefined) throw new UsageError('--log-level needs a --log-file to write to.');
  return oneOf('level', logLevel, logLevels);
}
