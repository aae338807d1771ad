import * as z from 'zod';
import {
  createInterruptedResult,
  defineTool,
  createToolFailure,
  type ReconcileCall,
  type Tool,
  type ToolContext,
  type ToolResult,
} from './tool.ts';
import { buildShellCommand, getShellName } from '../platform/programs.ts';
import { scrubEnvironment } from '../sandbox/environment.ts';
import type { CommandSandbox } from '../sandbox/command-sandbox.ts';
import { getTraceEnvironment } from '../platform/trace-context.ts';
import { createCommandOutput } from './command-output.ts';
import { createOutsideResult } from './file-errors.ts';
import { isTimeoutSignal } from './limits.ts';
import { createProgressReporter } from './progress-reports.ts';
import { streamCommand, type StreamedCommandEnd } from './stream-command.ts';
import { killMarkedProcesses } from './kill-tree.ts';
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
  const sandboxNote =
    options.sandbox.kind === 'none'
      ? 'It runs without a sandbox.'
      : 'It runs in a sandbox that confines it to the folder.';
  return defineTool({
    name: 'shell',
    effect: 'not-repeatable',
    isConfinedToFolder: true,
    timeoutMs: shellToolLimits.secondsMax * 1_000,
    outputCharsMax: 60_000,
    description:
      `Run a command line with ${getShellName(platform)} in the folder, without standard input. A long output is truncated in the middle ` +
      `and saved in full to a file. Background processes are killed when the command ends. ${sandboxNote}`,
    parameters: z.object({
      command: z.string().min(1).max(shellToolLimits.chars).describe('The command line.'),
      cwd: z.string().min(1).optional().describe('Working directory, relative to the folder.'),
      timeoutSeconds: z
        .int()
        .min(1)
        .max(shellToolLimits.secondsMax)
        .optional()
        .describe(`Timeout in seconds; defaults to ${shellToolLimits.secondsByDefault}.`),
    }),
    async run({ command, cwd = '.', timeoutSeconds = shellToolLimits.secondsByDefault }, context) {
      const commandRun = await runCommandLine(
        options,
        { line: command, cwd, timeoutMs: timeoutSeconds * 1_000 },
        context,
      );
      return commandRun.kind === 'refused'
        ? commandRun.result
        : toShellResult(commandRun.end, commandRun.output);
    },
    reconcile: reconcileCommand,
  });
}

/** Kills what is left of an interrupted command; how far it got is unknown. */
export const reconcileCommand: ReconcileCall = async (_args, unfinished) => {
  const wasRunning = await killMarkedProcesses(unfinished.execution);
  return createInterruptedResult(unfinished, wasRunning ? 'It was still running and has been killed.' : '');
};

export type CommandLine = { readonly line: string; readonly cwd: string; readonly timeoutMs: number };

export type CommandLineRun =
  | { readonly kind: 'refused'; readonly result: ToolResult }
  | {
      readonly kind: 'ran';
      readonly end: StreamedCommandEnd | { readonly kind: 'timeout' };
      readonly output: string;
    };

/** Runs one command line; `onOutput` receives its output chunk by chunk. */
export async function runCommandLine(
  options: CommandOptions,
  { line, cwd, timeoutMs }: CommandLine,
  context: ToolContext,
  onOutput: (chunk: Buffer) => void = () => undefined,
): Promise<CommandLineRun> {
  const folder = await resolveWorkspacePath(options.root, cwd);
  if (folder.kind === 'outside') return { kind: 'refused', result: createOutsideResult(cwd) };
  if (folder.kind === 'failed')
    return createRefusedRun(`There is no folder ${quotePath(cwd)}. Omit "cwd", or name an existing folder.`);
  if (line.includes('\0') || !line.isWellFormed()) {
    return createRefusedRun(
      'The command contains a NUL byte or half a character. Write it again without it.',
    );
  }
  const output = createCommandOutput(options.root);
  const reports = createProgressReporter((progress) => context.report(progress));
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([context.signal, timeout]);
  const shell = buildShellCommand(options.platform ?? process.platform, line);
  const end = await streamCommand({
    sandbox: options.sandbox,
    command: [shell.file, ...shell.args],
    windowsVerbatimArguments: shell.windowsVerbatimArguments,
    policy: {
      cwd: folder.realPath,
      writable: [options.root, ...(options.writable ?? [])],
      network: options.network ?? false,
      env: { ...scrubEnvironment(), ...unattendedEnvironment, ...options.env, ...getTraceEnvironment() },
    },
    signal,
    ...(context.execution !== undefined && { mark: context.execution.id }),
    onChunk(chunk) {
      onOutput(chunk);
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

const leftRunningNote = '\n[Background processes that were still running have been killed.]';

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
  const outputText = output === '' ? 'There was no output.' : `Output so far:\n${output}`;
  switch (end.kind) {
    case 'timeout':
      return createToolFailure(
        'timeout',
        `The command timed out and was killed, with all processes it started. Take a smaller step. ${outputText}`,
      );
    case 'aborted':
      return createToolFailure(
        'cancelled',
        `The command was cancelled and killed, with all processes it started. ${outputText}`,
      );
    case 'killed':
      return createToolFailure('failed', `The command was killed by signal ${end.signal}. ${outputText}`);
    case 'not-started':
      return createToolFailure('failed', `The command could not be started: ${end.reason}`);
    default:
      return end satisfies never;
  }
}
