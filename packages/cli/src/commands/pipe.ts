import type { Session } from '@pawl/core';
import { eventsJsonSchema } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { answerLine, stateForms, type Machine } from './pipe-answer.ts';
import { readLines } from './pipe-lines.ts';
import { LineOutput } from './line-output.ts';
import { profileNamed } from './profile-option.ts';
import { oneOf } from '../one-of.ts';

export type PipeOptions = {
  /** The name of a profile, or the file of one. */
  readonly profile: string;
  /** How much of the state each answer holds: compact, full or status. */
  readonly state: string;
  readonly id?: string;
  /** Aborted when the process is asked to stop. */
  readonly signal?: AbortSignal;
};

/**
 * The machine as a co-process: each line in is an event, each line out answers one line in, in order and at once.
 * At the end of the input the exit code says whether every line was good; a shutdown event ends it sooner, with 0.
 */
export async function pipe(options: PipeOptions, io: Io): Promise<ExitCode> {
  const machine = await machineFor(options);
  const stop = (): void => void io.stdin.destroy();
  const output = new LineOutput(io.stdout, stop);
  const { signal } = options;
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  let session: Session | null = null;
  let code: ExitCode = exitCodes.finished;
  for await (const line of readLines(io.stdin)) {
    const answered = answerLine(machine, session, line, Date.now);
    session = answered.session;
    if (!answered.answer.ok) code = exitCodes.failed;
    await output.write(JSON.stringify(answered.answer));
    if (session?.turn.status === 'shuttingDown') return exitCodes.finished;
    if (output.closed) break;
  }
  output.throwFailure();
  return signal?.aborted === true ? exitCodes.interrupted : code;
}

/** Prints the JSON Schema of the events. */
export async function printSchema(io: Io): Promise<ExitCode> {
  const output = new LineOutput(io.stdout);
  await output.write(JSON.stringify(eventsJsonSchema(), null, 2));
  return exitCodes.finished;
}

async function machineFor({ profile, state, id = 'pipe' }: PipeOptions): Promise<Machine> {
  const form = oneOf('form of the state', state, stateForms);
  return { id, profile: await profileNamed(profile), form };
}
