import type { StepResult } from '@pawl/runtime';
import { createEventLogger, logLevels, listSecretValues, type LogLevel } from '@pawl/runtime/logging';
import { UsageError } from '../usage-error.ts';
import { openRunFile } from './run-file.ts';
import { openRunTrace, type RunTrace, type TraceOptions } from './run-trace.ts';
import { parseChoice } from '../parse-choice.ts';

export type RunLogOptions = TraceOptions & {
  /** A JSON lines file for events, without message contents. */
  readonly logFile?: string;
  readonly logLevel?: string;
};

/** Opens the trace and the log of a run, each only if requested. */
export function openRunRecorder(
  options: RunLogOptions,
  root: string,
  warn: (line: string) => void,
): RunTrace {
  const level = parseLogLevel(options);
  const trace = openRunTrace(options, root, warn);
  const log = openEventLog(options.logFile, level, warn);
  return {
    ...trace,
    see(result) {
      trace.see(result);
      log(result);
    },
  };
}

function openEventLog(
  path: string | undefined,
  level: LogLevel,
  warn: (line: string) => void,
): (result: StepResult) => void {
  if (path === undefined) return () => undefined;
  const file = openRunFile({ name: 'log', path, warn });
  const write = (line: string): void => file.write(line);
  return createEventLogger({ write, level, redact: listSecretValues(process.env) }).observe;
}

function parseLogLevel({ logFile, logLevel }: RunLogOptions): LogLevel {
  if (logLevel === undefined) return 'info';
  if (logFile === undefined) throw new UsageError('--log-level requires --log-file.');
  return parseChoice('log level', logLevel, logLevels);
}
