import * as z from 'zod';
import { interrupted } from '../executions/interrupted.ts';
import { scrubbedEnvironment } from '../sandbox/environment.ts';
import type { Launcher } from '../sandbox/launcher.ts';
import { traceEnvironment } from '../trace-context.ts';
import { createCommandOutput } from './command-output.ts';
import { outside } from './file-errors.ts';
import { isTimeout } from './limits.ts';
import { createReports } from './progress-reports.ts';
import { streamCommand, type CommandEnd } from './stream-command.ts';
import { killMarked } from './kill-tree.ts';
import { defineTool, failure, type Settle, type Tool, type ToolContext, type ToolResult } from './tool.ts';
import { quoted, resolveInWorkspace } from './workspace-path.ts';

/** What commands run with. */
export type CommandOptions = {
  /** A real path. */
  readonly root: string;
  readonly launcher: Launcher;
  /** Added to an environment without any secrets. */
  readonly env?: { readonly [name: string]: string };
  /** Whether commands may use the network, as far as the launcher can hold them back; they may not if left out. */
  readonly network?: boolean;
  /** Folders besides the root that may be written to. */
  readonly writable?: readonly string[];
};

const commandLimits = { secondsByDefault: 120, secondsMax: 600, chars: 30_000 } as const;

/** Runs a command line. */
export function createShellTool(options: CommandOptions): Tool {
  const held =
    options.launcher.kind === 'none'
      ? 'It runs without a sandbox.'
      : 'It runs in a sandbox that holds it here.';
  return defineTool({
    name: 'shell',
    effect: 'not-repeatable',
    timeoutMs: commandLimits.secondsMax * 1_000,
    outputCharsMax: 60_000,
    description:
      'Run a command line with sh in the folder, with nothing to read from. Of a long output both ends come back and ' +
      `the whole is saved. Whatever it leaves running in the background is ended with it. ${held}`,
    parameters: z.object({
      command: z.string().min(1).max(commandLimits.chars).describe('The command line.'),
      cwd: z.string().min(1).optional().describe('The folder to run it in, relative to the folder.'),
      timeoutSeconds: z
        .int()
        .min(1)
        .max(commandLimits.secondsMax)
        .optional()
        .describe(`How long it may take; ${commandLimits.secondsByDefault} seconds if left out.`),
    }),
    async run({ command, cwd = '.', timeoutSeconds = commandLimits.secondsByDefault }, context) {
      const ran = await runLine(options, { line: command, cwd, timeoutMs: timeoutSeconds * 1_000 }, context);
      return ran.kind === 'refused' ? ran.result : toResult(ran.end, ran.output);
    },
    settle: settleCommand,
  });
}

/** What is left of a command whose process has ended is ended as well; how far it came, nobody knows. */
export const settleCommand: Settle = async (_args, unfinished) => {
  const wasRunning = await killMarked(unfinished.execution);
  return interrupted(unfinished, wasRunning ? 'It was still running, and was ended now.' : '');
};

export type Line = { readonly line: string; readonly cwd: string; readonly timeoutMs: number };

export type LineRun =
  | { readonly kind: 'refused'; readonly result: ToolResult }
  | {
      readonly kind: 'ran';
      readonly end: CommandEnd | { readonly kind: 'timeout' };
      readonly output: string;
    };

/** Runs one command line; `hear` is told all it writes, piece by piece. */
export async function runLine(
  options: CommandOptions,
  { line, cwd, timeoutMs }: Line,
  context: ToolContext,
  hear: (chunk: Buffer) => void = () => undefined,
): Promise<LineRun> {
  const place = await resolveInWorkspace(options.root, cwd);
  if (place.kind === 'outside') return { kind: 'refused', result: outside(cwd) };
  if (place.kind === 'failed')
    return refused(`There is no folder ${quoted(cwd)}. Leave "cwd" out, or give one.`);
  if (line.includes('\0') || !line.isWellFormed()) {
    return refused('The command has a NUL byte or half a character in it. Write it again without.');
  }
  const output = createCommandOutput(options.root);
  const reports = createReports((progress) => context.report(progress));
  const late = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([context.signal, late]);
  const end = await streamCommand({
    launcher: options.launcher,
    command: ['/bin/sh', '-c', line],
    confines: {
      cwd: place.realPath,
      writable: [options.root, ...(options.writable ?? [])],
      network: options.network ?? false,
      env: { ...scrubbedEnvironment(), ...unattended, ...options.env, ...traceEnvironment() },
    },
    signal,
    ...(context.execution !== undefined && { mark: context.execution.id }),
    take(chunk) {
      hear(chunk);
      context.execution?.hear(chunk);
      reports.add(chunk);
      return output.add(chunk);
    },
  });
  reports.stop();
  const wasLate = end.kind === 'aborted' && isTimeout(signal);
  return { kind: 'ran', end: wasLate ? { kind: 'timeout' } : end, output: await output.text() };
}

/** There is nobody to answer a question, to turn a page or to see a colour. */
const unattended = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
} as const;

function refused(message: string): LineRun {
  return { kind: 'refused', result: failure('invalid', message) };
}

const leftNote = '\n[What it left running in the background was ended.]';

function toResult(end: Extract<LineRun, { readonly kind: 'ran' }>['end'], output: string): ToolResult {
  if (end.kind !== 'exited') return notEnded(end, output);
  const text = end.leftRunning ? output + leftNote : output;
  if (end.code === 0) return { ok: true, output: { exitCode: 0, output: text } };
  return failure('failed', `The command ended with exit code ${end.code}.\n${text}`);
}

type NotExited = Exclude<Extract<LineRun, { readonly kind: 'ran' }>['end'], { readonly kind: 'exited' }>;

/** A command that did not come to its own end. */
export function notEnded(end: NotExited, output: string): ToolResult {
  const soFar = output === '' ? 'It wrote nothing.' : `What it wrote so far:\n${output}`;
  switch (end.kind) {
    case 'timeout':
      return failure(
        'timeout',
        `The command timed out and was ended, with all it had started. Take a smaller step. ${soFar}`,
      );
    case 'aborted':
      return failure('cancelled', `The command was called off and ended, with all it had started. ${soFar}`);
    case 'killed':
      return failure('failed', `The command was ended by the signal ${end.signal}. ${soFar}`);
    case 'not-started':
      return failure('failed', `The command could not be started: ${end.why}`);
    default:
      return end satisfies never;
  }
}
