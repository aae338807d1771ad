import { toItemArray } from '@pawl/core';
import { toTransitionRecords } from '@pawl/core/turn';
import type { StepResult, Model } from '@pawl/runtime';
import {
  createEventLogger,
  logLevels,
  listSecretValues,
  type LogLevel,
  maskSecrets,
  openRotatingFile,
  type RotatingFile,
} from '@pawl/runtime/logging';
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseChoice } from '../options/parse-options.ts';
import { UsageError } from '../output/exit-codes.ts';

export type RunLogOptions = TraceOptions & {
  /** A JSON lines file for events, without message contents. */
  readonly logFile?: string;
  readonly logLevel?: string;
};

/** Opens the trace and the log of a run, each only if requested. */
export function createRunRecorder(
  options: RunLogOptions,
  root: string,
  warn: (line: string) => void,
): RunTrace {
  const level = parseLogLevel(options);
  const trace = openRunTrace(options, root, warn);
  const log = openEventLog(options.logFile, level, warn);
  return {
    ...trace,
    observe(result) {
      trace.observe(result);
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

/** A JSON lines file with every prompt, reply and transition, unchanged except for masked secrets. */
export type RunTrace = {
  /** Wraps a model so that its requests and replies are traced. */
  model(model: Model): Model;
  observe(seen: StepResult): void;
};

export type TraceOptions = {
  /** Write to `logs/agent_trace.log` in the working folder. */
  readonly trace?: boolean;
  /** Write to this file instead. */
  readonly traceFile?: string;
};

function openRunTrace(options: TraceOptions, root: string, warn: (line: string) => void): RunTrace {
  const { trace = false, traceFile } = options;
  if (!trace && traceFile === undefined) return { model: (model) => model, observe: () => undefined };
  const defaultPath = join(root, 'logs', 'agent_trace.log');
  const file = openRunFile(
    traceFile === undefined
      ? { name: 'trace', path: defaultPath, warn, prepare: () => makeTraceFolder(defaultPath) }
      : { name: 'trace', path: traceFile, warn },
  );
  const secrets = listSecretValues(process.env);
  const write = (record: object): void => file.write(`${JSON.stringify(maskSecrets(record, { secrets }))}\n`);
  return {
    model: (model) => ({
      name: model.name,
      ...(model.server !== undefined && { server: model.server }),
      async *stream(request, signal) {
        const { conversation, tools, ...rest } = request;
        const names = tools.map(({ name }) => name);
        write({ type: 'prompt', ts: Date.now(), ...rest, messages: toItemArray(conversation), tools: names });
        for await (const chunk of model.stream(request, signal)) {
          if (chunk.type === 'reply' || chunk.type === 'failure') write({ ...chunk, ts: Date.now() });
          yield chunk;
        }
      },
    }),
    observe({ notes, session }) {
      for (const record of toTransitionRecords(notes, session))
        write({ type: 'state_transition', ...record });
    },
  };
}

/** Excludes a newly created folder from git, because prompts are private. */
function makeTraceFolder(path: string): void {
  const folder = dirname(path);
  const created = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (created !== undefined) writeFileSync(join(folder, '.gitignore'), '*\n');
  for (const each of [folder, path]) {
    // A symbolic link would let the author of the working folder redirect our writes.
    if (lstatSync(each, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new Error(`${each} is a symbolic link; specify the file with --trace-file.`);
  }
}

export type RunFileOptions = {
  /** The user-facing name: the trace, the log. */
  readonly name: string;
  readonly path: string;
  readonly warn: (line: string) => void;
  /** Runs before the file is opened. */
  readonly prepare?: () => void;
};

/** Opens a file that a run appends to. A failure to open it is an error; a later write failure is only a warning. */
function openRunFile({ name, path, warn, prepare }: RunFileOptions): RotatingFile {
  const problem = `Cannot write the ${name} to ${path}`;
  try {
    prepare?.();
    return openRotatingFile(path, { onError: (reason) => warn(`${problem} at the moment: ${reason}`) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${problem}: ${reason}`, { cause: error });
  }
}
