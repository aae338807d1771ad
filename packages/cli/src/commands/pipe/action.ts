import type { Session } from '@pawl/core';
import { buildEventsJsonSchema } from '@pawl/runtime/schema';
import { exitCodes, type ExitCode } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { answerLine, stateFormats, readInputLines, type PipeMachine } from './answer.ts';
import { LineOutput } from '../../output/line-output.ts';
import { resolveProfileOption } from '../../options/load-config.ts';
import { parseChoice } from '../../options/parse-options.ts';

export type PipeOptions = {
  /** A profile name or file. */
  readonly profile: string;
  /** How much state each answer contains: compact, full or status. */
  readonly state: string;
  readonly id?: string;
  /** Aborted when the process is asked to stop. */
  readonly signal?: AbortSignal;
};

/**
 * Runs the state machine as a coprocess: each input line is an event, each output line answers one input line, in order
 * and at once. At the end of the input the exit code says whether every line was valid; a shutdown event ends it
 * earlier, with 0.
 */
export async function runPipe(options: PipeOptions, io: CommandIo): Promise<ExitCode> {
  const machine = await createPipeMachine(options);
  const stop = (): void => void io.stdin.destroy();
  const output = new LineOutput(io.stdout, stop);
  const { signal } = options;
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  let session: Session | null = null;
  let code: ExitCode = exitCodes.finished;
  for await (const line of readInputLines(io.stdin)) {
    const result = answerLine(machine, session, line, Date.now);
    session = result.session;
    if (!result.answer.ok) code = exitCodes.failed;
    await output.write(JSON.stringify(result.answer));
    if (session?.turn.status === 'shuttingDown') return exitCodes.finished;
    if (output.closed) break;
  }
  output.throwFailure();
  return signal?.aborted === true ? exitCodes.interrupted : code;
}

export async function printEventSchema(io: CommandIo): Promise<ExitCode> {
  const output = new LineOutput(io.stdout);
  await output.write(JSON.stringify(buildEventsJsonSchema(), null, 2));
  return exitCodes.finished;
}

async function createPipeMachine({ profile, state, id = 'pipe' }: PipeOptions): Promise<PipeMachine> {
  const format = parseChoice('state format', state, stateFormats);
  return { id, profile: await resolveProfileOption(profile), format };
}
