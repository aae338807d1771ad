import type { StepResult } from '@pawl/runtime';
import type { LogLevel } from '@pawl/runtime/logging';
import { UsageError } from '../usage-error.ts';
import type { RunTrace, TraceOptions } from './run-trace.ts';

export type RunLogOptions = TraceOptions & {
  /** A JSON lines file for events, without message contents. */
  readonly logFile?: string;
  readonly logLevel?: string;
};

/** Opens the trace and the log of a run, each only if requested. */
export async function openRunRecorder(
  options: RunLogOptions,
  root: string,
  warn: (line: string) => void,
): Promise<RunTrace> {
  const { trace = false, traceFile, logFile, logLevel } = options;
  const isRequested = trace || traceFile !== undefined || logFile !== undefined || logLevel !== undefined;
  if (!isRequested) return { model: (model) => model, see: () => undefined };
  const level = await parseLogLevel(options);
  const { openRunTrace } = await import('./run-trace.ts');
  const runTrace = openRunTrace(options, root, warn);
  const log = await openEventLog(logFile, level, warn);
  return {
    ...runTrace,
    see(result) {
      runTrace.see(result);
      log(result);
    },
  };
}

async function openEventLog(
  path: string | undefined,
  level: LogLevel,
  warn: (line: string) => void,
): Promise<(result: StepResult) => void> {
  if (path === undefined) return () => undefined;
  const { createEventLogger, listSecretValues } = await import('@pawl/runtime/logging');
  const { openRunFile } = await import('./run-file.ts');
  const file = openRunFile({ name: 'log', path, warn });
  const write = (line: string): void => file.write(line);
  return createEventLogger({ write, level, redact: listSecretValues(process.env) }).observe;
}

async function parseLogLevel({ logFile, logLevel }: RunLogOptions): Promise<LogLevel> {
  if (logLevel === undefined) return 'info';
  if (logFile === undefined) throw new UsageError('--log-level requires --log-file.');
  const { parseChoice } = await import('../parse-choice.ts');
  const { logLevels } = await import('@pawl/runtime/logging');
  return parseChoice('log level', logLevel, logLevels);
}
