import { stripVTControlCharacters } from 'node:util';
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
import { scrubEnvironment } from '../sandbox/run-command.ts';
import type { CommandSandbox } from '../sandbox/command-sandbox.ts';
import { getTraceEnvironment } from '../platform/trace-context.ts';
import { createOutsideResult } from './file-errors.ts';
import { isTimeoutSignal } from './limits.ts';
import { streamCommand, killMarkedProcesses, type StreamedCommandEnd } from './stream-command.ts';
import { quotePath, resolveWorkspacePath } from './workspace.ts';
import { OutputEndsBuffer, formatOutputEnds } from './output-cap.ts';
import { createHash, randomBytes } from 'node:crypto';
import { lstat, readdir, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { openFlags, openRefusingLinks, replaceFile, getSystemErrorCode } from '../platform/files.ts';
import { openFolderHandle, type FolderHandle } from './workspace-file.ts';

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

/** Bytes of each end of an output that go into the conversation. */
const endBytesMax = 10_000;

/** Collects a command's output: both ends for the conversation and, if it is longer, the full output in a file. */
function createCommandOutput(root: string): {
  add(chunk: Buffer): Promise<void>;
  /** The text shown to the model; call it once, at the end. */
  text(): Promise<string>;
} {
  const buffer = new OutputEndsBuffer(endBytesMax);
  let saving: Promise<SavedOutput> | null = null;
  return {
    async add(chunk) {
      // Both streams may write concurrently, so capture the earlier bytes before the first await.
      const before = saving === null && buffer.total + chunk.length > 2 * endBytesMax ? buffer.ends() : null;
      buffer.add(chunk);
      if (before !== null) {
        saving = openSavedOutput(root).then(async (file) => {
          await file.add(before.head);
          await file.add(before.tail);
          return file;
        });
      }
      if (saving === null) return;
      saving = saving.then(async (file) => {
        await file.add(chunk);
        return file;
      });
      await saving;
    },
    async text() {
      const saved = saving === null ? null : await (await saving).close();
      return stripVTControlCharacters(
        formatOutputEnds(buffer.ends(), (bytes) => formatOmissionNote(bytes, saved)),
      );
    },
  };
}

function formatOmissionNote(bytes: number, saved: SavedFile | null): string {
  if (saved === null) return `[… ${bytes} bytes left out; the output could not be saved …]`;
  const extent = saved.isComplete ? 'the full output is' : 'its beginning is';
  return `[… ${bytes} bytes left out; ${extent} in ${saved.path}, which you can read by line numbers …]`;
}

/** How often progress is reported, and how much at a time. */
const reportIntervalMs = 250;
const reportCharsMax = 2_000;

/** Reports a command's output at a limited rate. */
function createProgressReporter(report: (progress: string) => void): {
  add(chunk: Buffer): void;
  stop(): void;
} {
  const decoder = new TextDecoder();
  let pending = '';
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    timer = null;
    report(stripVTControlCharacters(pending));
    pending = '';
  };
  return {
    add(chunk) {
      pending = (pending + decoder.decode(chunk, { stream: true })).slice(-reportCharsMax);
      if (pending !== '') timer ??= setTimeout(flush, reportIntervalMs);
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

const outputFolder = ['.pawl', 'output'] as const;
const savedOutputLimits = { bytes: 50 * 1024 * 1024, files: 40 } as const;

/** `path` is relative to the root and readable by the agent. */
type SavedFile = { readonly path: string; readonly isComplete: boolean };

type SavedOutput = {
  add(chunk: Buffer): Promise<void>;
  /** Resolves to null if the output could not be saved. */
  close(): Promise<SavedFile | null>;
};

/**
 * Saves an output to a file in the workspace, named by its content hash, so that equal outputs share a name. A failure
 * to save does not fail the command.
 */
async function openSavedOutput(root: string): Promise<SavedOutput> {
  const files = await openOutputFiles(root).catch((error: unknown) => {
    getSystemErrorCode(error);
    return null;
  });
  const hash = createHash('sha256');
  let bytes = 0;
  let hasFailed = files === null;
  return {
    async add(chunk) {
      const piece = chunk.subarray(0, Math.max(0, savedOutputLimits.bytes - bytes));
      bytes += chunk.length;
      if (hasFailed || files === null || piece.length === 0) return;
      hash.update(piece);
      await files.file.appendFile(piece).catch(() => (hasFailed = true));
    },
    async close() {
      if (files === null) return null;
      const { folder, file, temporary } = files;
      await using _ = folder;
      await file.close();
      const name = `${hash.digest('hex').slice(0, 16)}.txt`;
      if (hasFailed) await rm(temporary, { force: true });
      else await replaceFile(temporary, folder.at(name));
      await pruneOutputs(folder);
      return hasFailed
        ? null
        : { path: [...outputFolder, name].join('/'), isComplete: bytes <= savedOutputLimits.bytes };
    },
  };
}

type OutputFiles = { readonly folder: FolderHandle; readonly file: FileHandle; readonly temporary: string };

async function openOutputFiles(root: string): Promise<OutputFiles> {
  const folder = await openFolderHandle(root, outputFolder, true);
  try {
    await hideFromGit(folder);
    const temporary = folder.at(`${randomBytes(9).toString('hex')}.part`);
    return {
      folder,
      file: await openRefusingLinks(temporary, openFlags.createNew, { mode: 0o600 }),
      temporary,
    };
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

async function hideFromGit(folder: FolderHandle): Promise<void> {
  await writeFile(folder.at('.gitignore'), '*\n', { flag: 'wx' }).catch((error: unknown) => {
    if (getSystemErrorCode(error) !== 'EEXIST') throw error;
  });
}

/** Deletes all but the latest outputs. */
async function pruneOutputs(folder: FolderHandle): Promise<void> {
  const names = (await readdir(folder.at('.'))).filter((name) => name !== '.gitignore');
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: (await lstat(folder.at(name))).mtimeMs })),
  ).catch(() => []);
  const old = dated.toSorted((a, b) => b.at - a.at).slice(savedOutputLimits.files);
  await Promise.all(old.map(({ name }) => rm(folder.at(name), { force: true })));
}
