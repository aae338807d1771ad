import * as z from 'zod';
import { createInterruptedResult } from '../executions/interrupted.ts';
import { buildShellCommand, getShellName } from '../platform/programs.ts';
import { scrubEnvironment } from '../sandbox/environment.ts';
import type { CommandSandbox } from '../sandbox/command-sandbox.ts';
import { getTraceEnvironment } from '../trace-context.ts';
import { createCommandOutput } from './command-output.ts';
import { createOutsideResult } from './file-errors.ts';
import { isTimeoutSignal } from './limits.ts';
import { createProgressReporter } from './progress-reports.ts';
import { streamCommand, type StreamedCommandEnd } from './stream-command.ts';
import { killMarkedProcesses } from './kill-tree.ts';
import {
  defineTool,
  createToolFailure,
  type ReconcileCall,
  type Tool,
  type ToolContext,
  type ToolResult,
} from './tool.ts';
import { quotePath, resolveWorkspacePath } from './workspace-path.ts';

/** The settings that commands run with. */
export type CommandOptions = {
  /** A real path. */
  readonly root: string;
  readonly sandbox: CommandSandbox;
  /** Added to an environment without secrets. */
  readonly env?: { readonly [name: string]: string };
  /** Whether commands may use the network, as far as the sandbox can prevent it; defaults to false. */
  readonly network?: boolean;
  /** Additional folders that commands may write to. */
  readonly writable?: readonly string[];
  /** The platform that command lines are written for; defaults to the current one. */
  readonly platform?: NodeJS.Platform;
};

const shellToolLimits = { secondsByDefault: 120, secondsMax: 600, chars: 30_000 } as const;

/** Runs a command line in a shell. */
export function createShellTool(options: CommandOptions): Tool {
  const { platform = process.platform } = options;
  const held =
    options.sandbox.kind === 'none'
      ? 'It runs without a sandbox.'
      : 'It runs in a sandbox that holds it here.';
  return defineTool({
    name: 'shell',
    effect: 'not-repeatable',
    timeoutMs: shellToolLimits.secondsMax * 1_000,
    outputCharsMax: 60_000,
    description:
      `Run a command line with ${getShellName(platform)} in the folder, with nothing to read from. Of a long output both ends come back and ` +
      `the whole is saved. Whatever it leaves running in the background is ended with it. ${held}`,
    parameters: z.object({
      command: z.string().min(1).max(shellToolLimits.chars).describe('The command line.'),
      cwd: z.string().min(1).optional().describe('The folder to run it in, relative to the folder.'),
      timeoutSeconds: z
        .int()
        .min(1)
        .max(shellToolLimits.secondsMax)
        .optional()
        .describe(`How long it may take; ${shellToolLimits.secondsByDefault} seconds if left out.`),
    }),
    async run({ command, cwd = '.', timeoutSeconds = shellToolLimits.secondsByDefault }, context) {
      const ran = await runCommandLine(
        options,
        { line: command, cwd, timeoutMs: timeoutSeconds * 1_000 },
        context,
      );
      return ran.kind === 'refused' ? ran.result : toShellResult(ran.end, ran.output);
    },
    reconcile: reconcileCommand,
  });
}

/** Kills what is left of an interrupted command; how far it got is unknown. */
export const reconcileCommand: ReconcileCall = async (_args, unfinished) => {
  const wasRunning = await killMarkedProcesses(unfinished.execution);
  return createInterruptedResult(unfinished, wasRunning ? 'It was still running, and was ended now.' : '');
};

export type CommandLine = { readonly line: string; readonly cwd: string; readonly timeoutMs: number };

export type CommandLineRun =
  | { readonly kind: 'refused'; readonly result: ToolResult }
  | {
      readonly kind: 'ran';
      readonly end: StreamedCommandEnd | { readonly kind: 'timeout' };
      readonly output: string;
    };

/** Runs one command line; `hear` receives its output chunk by chunk. */
export async function runCommandLine(
  options: CommandOptions,
  { line, cwd, timeoutMs }: CommandLine,
  context: ToolContext,
  hear: (chunk: Buffer) => void = () => undefined,
): Promise<CommandLineRun> {
  const place = await resolveWorkspacePath(options.root, cwd);
  if (place.kind === 'outside') return { kind: 'refused', result: createOutsideResult(cwd) };
  if (place.kind === 'failed')
    return createRefusedRun(`There is no folder ${quotePath(cwd)}. Leave "cwd" out, or give one.`);
  if (line.includes('\0') || !line.isWellFormed()) {
    return createRefusedRun('The command has a NUL byte or half a character in it. Write it again without.');
  }
  const output = createCommandOutput(options.root);
  const reports = createProgressReporter((progress) => context.report(progress));
  const late = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([context.signal, late]);
  const shell = buildShellCommand(options.platform ?? process.platform, line);
  const end = await streamCommand({
    launcher: options.sandbox,
    command: [shell.file, ...shell.args],
    windowsVerbatimArguments: shell.windowsVerbatimArguments,
    confines: {
      cwd: place.realPath,
      writable: [options.root, ...(options.writable ?? [])],
      network: options.network ?? false,
      env: { ...scrubEnvironment(), ...unattendedEnvironment, ...options.env, ...getTraceEnvironment() },
    },
    signal,
    ...(context.execution !== undefined && { mark: context.execution.id }),
    take(chunk) {
      hear(chunk);
      context.execution?.appendOutput(chunk);
      reports.add(chunk);
      return output.add(chunk);
    },
  });
  reports.stop();
  const wasLate = end.kind === 'aborted' && isTimeoutSignal(signal);
  return { kind: 'ran', end: wasLate ? { kind: 'timeout' } : end, output: await output.text() };
}

/** Disables prompts, pagers and colors, because commands run unattended. */
const unattendedEnvironment = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
} as const;

function createRefusedRun(message: string): CommandLineRun {
  return { kind: 'refused', result: createToolFailure('invalid', message) };
}

const leftRunningNote = '\n[What it left running in the background was ended.]';

function toShellResult(
  end: Extract<CommandLineRun, { readonly kind: 'ran' }>['end'],
  output: string,
): ToolResult {
  if (end.kind !== 'exited') return toUnfinishedResult(end, output);
  const text = end.leftRunning ? output + leftRunningNote : output;
  if (end.code === 0) return { ok: true, output: { exitCode: 0, output: text } };
  return createToolFailure('failed', `The command ended with exit code ${end.code}.\n${text}`);
}

type UnfinishedCommand = Exclude<
  Extract<CommandLineRun, { readonly kind: 'ran' }>['end'],
  { readonly kind: 'exited' }
>;

/** Converts the end of a command that did not exit by itself into a tool result. */
export function toUnfinishedResult(end: UnfinishedCommand, output: string): ToolResult {
  const soFar = output === '' ? 'It wrote nothing.' : `What it wrote so far:\n${output}`;
  switch (end.kind) {
    case 'timeout':
      return createToolFailure(
        'timeout',
        `The command timed out and was ended, with all it had started. Take a smaller step. ${soFar}`,
      );
    case 'aborted':
      return createToolFailure(
        'cancelled',
        `The command was called off and ended, with all it had started. ${soFar}`,
      );
    case 'killed':
      return createToolFailure('failed', `The command was ended by the signal ${end.signal}. ${soFar}`);
    case 'not-started':
      return createToolFailure('failed', `The command could not be started: ${end.why}`);
    default:
      return end satisfies never;
  }
}
