import type { Session } from '@pawl/core';
import { eventsJsonSchema } from '@pawl/runtime';
import { didYouMean } from '../did-you-mean.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { answerLine, stateForms, type Machine, type StateForm } from './pipe-answer.ts';
import { readLines } from './pipe-lines.ts';
import { LineOutput } from './pipe-output.ts';
import { profileNamed } from './profile-option.ts';

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
  const { failure } = output;
  if (failure !== null)
    throw new Error(`The output cannot be written: ${failure.message}`, { cause: failure });
  return signal?.aborted === true ? exitCodes.interrupted : code;
}

/** Prints the JSON Schema of the events. */
export async function printSchema(io: Io): Promise<ExitCode> {
  const output = new LineOutput(io.stdout, () => undefined);
  await output.write(JSON.stringify(eventsJsonSchema(), null, 2));
  return exitCodes.finished;
}

async function machineFor({ profile, state, id = 'pipe' }: PipeOptions): Promise<Machine> {
  if (!isStateForm(state)) throw unknownStateForm(state);
  return { id, profile: await profileNamed(profile), form: state };
}

function isStateForm(name: string): name is StateForm {
  return stateForms.some((form) => form === name);
}

function unknownStateForm(name: string): UsageError {
  const meant = didYouMean(name, stateForms);
  return new UsageError(
    `There is no form ${JSON.stringify(name)} of the state.${meant} There are: ${stateForms.join(', ')}.`,
  );
}
