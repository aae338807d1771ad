import { type FolderIndex, WorkspaceError, indexFolder, type SkippedPath } from '@pawl/runtime/search';
import {
  applyModelConfig,
  fillMissingBudgets,
  flagsToConfig,
  toRunMetadata,
  type ModelFlags,
  applyAgentKeys,
} from '@pawl/runtime/agent-setup';
import { resolve } from 'node:path';
import type { CommandIo } from '../output/command-io.ts';
import { exitCodes, type ExitCode, UsageError, toUsageError } from '../output/exit-codes.ts';
import { parseBudgetFlags, type BudgetFlags } from '../options/parse-options.ts';
import { loadConfig, withSetupUsageErrors, resolveProfileOption } from '../options/load-config.ts';

import { openStoreOrMemory } from '../sessions/store-option.ts';
import {
  hasKeyboard,
  isTerminalStream,
  createPermissionAsker,
  createUserAsker,
  openTerminalPrompt,
} from '../output/terminal-prompt.ts';
import { driveRun, openRunRecorder } from './drive-run.ts';
import type { RunLogOptions } from './run-log.ts';
import { openRunTelemetry } from '../observability/run-telemetry.ts';
import {
  createLineChatView,
  createJsonRunView,
  createLineRunView,
  createQuietRunView,
  type RunResult,
  type RunView,
} from './run-view.ts';

/** Output options of a run, and the signal that stops it. */
export type RunViewOptions = RunLogOptions & {
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Print lines instead of the live view. */
  readonly plain?: boolean;
  /** Print the transitions of the state machine too. */
  readonly verbose?: boolean;
  /** Aborted by Ctrl-C. */
  readonly signal?: AbortSignal;
};

export type RunOptions = BudgetFlags &
  ModelFlags &
  RunViewOptions & {
    readonly dir: string;
    readonly profile?: string;
    /** Permission mode: read-only, ask, auto-edit, full-auto. */
    readonly mode?: string;
    /** Commit each step to git. */
    readonly autoCommit?: boolean;
    /** Pause while the machine is short of CPU, memory or disk space. */
    readonly watchResources?: boolean;
    /** The session store. */
    readonly store?: string;
    /** Also show the run in a browser. */
    readonly open?: boolean;
  };

/** Works on a goal in a folder until there is an answer. */
export async function runGoal(goal: string, options: RunOptions, io: CommandIo): Promise<ExitCode> {
  if (goal.trim() === '') {
    throw new UsageError('Enter a goal, for example: pawl run "How are sessions stored?"');
  }
  return startRun(goal, { ...options, kind: 'run' }, io);
}

/** Starts a run that continues until the user leaves. */
export function startChat(message: string | null, options: RunOptions, io: CommandIo): Promise<ExitCode> {
  return startRun(message, { ...options, kind: 'chat' }, io);
}

/** Starts a session: one goal, or a chat. */
function startRun(
  goal: string | null,
  options: RunOptions & { readonly kind: RunKind },
  io: CommandIo,
): Promise<ExitCode> {
  return withSetupUsageErrors(() => runNewSession(goal, options, io));
}

async function runNewSession(
  goal: string | null,
  options: RunOptions & { readonly kind: RunKind },
  io: CommandIo,
): Promise<ExitCode> {
  const flagBudgets = parseBudgetFlags(options);
  const terminal = openTerminalPrompt(io);
  const loaded = await loadConfig(resolve(options.dir), flagsToConfig(options), terminal);
  const { config } = loaded;
  const profileName = config.profile ?? 'pawl';
  const { profile, warnings } = applyAgentKeys(await resolveProfileOption(profileName), config);
  const flags = { ...options, ...applyModelConfig(options, config) };
  const budgets = fillMissingBudgets(flagBudgets, config.budgets);
  if (budgets !== null && budgets.cost !== null && flags.priceIn === undefined) {
    throw new UsageError('A cost budget requires prices: --price-in and --price-out, per 1M tokens.');
  }
  const { signal = new AbortController().signal } = options;
  const index = await indexFolderWithProgress(options.dir, signal, io);
  if (index === null) return exitCodes.interrupted;
  using folder = index;
  const id = crypto.randomUUID();
  const model = flags.model ?? 'librarian';
  const viewContext = { folder, id, model, kind: options.kind, warnings: [...loaded.warnings, ...warnings] };
  const view = await openRunView(options, io, viewContext);
  const trace = await openRunRecorder(options, folder.root, (line) => view.warn(line));
  const telemetry = await openRunTelemetry(config, view, io, options.open === true);
  const opened = await openStoreOrMemory(options, config);
  if (opened.warning !== null) view.warn(opened.warning);
  try {
    const known = { dir: folder.root, model, profile: profileName };
    const start = { kind: 'new', goal, metadata: toRunMetadata({ ...flags, ...known }) } as const;
    const runOptions = { id, folder, profile, budgets, signal, trace, telemetry, flags, config, terminal };
    const run = async (runView: RunView): Promise<ExitCode> => {
      const result = await driveRun({ ...runOptions, view: runView, opened, start });
      await view.end(result);
      return toRunExitCode(result, options.kind);
    };
    if (options.open !== true) return await run(view);
    const { runWithDashboard } = await import('./run-open.ts');
    return await runWithDashboard({ opened, id, dir: folder.root, telemetry, view, signal, io }, run);
  } finally {
    await opened.close();
    await telemetry?.shutdown();
  }
}

const statusExitCodes: Record<RunResult['status'], ExitCode> = {
  answered: exitCodes.finished,
  stuck: exitCodes.stuck,
  budget: exitCodes.budget,
  denied: exitCodes.denied,
  failed: exitCodes.model,
  interrupted: exitCodes.interrupted,
};

/** A chat that the user leaves while idle has succeeded, even if its last turn failed. */
export function toRunExitCode({ status }: RunResult, kind: RunKind): ExitCode {
  return kind === 'chat' && status === 'failed' ? exitCodes.finished : statusExitCodes[status];
}

export type RunKind = 'run' | 'chat';

/** Indexes the folder; null if the user cancelled. */
export async function indexFolderWithProgress(
  dir: string,
  signal: AbortSignal,
  io: CommandIo,
): Promise<FolderIndex | null> {
  // Loaded only where it prints something.
  const line = isTerminalStream(io.stderr)
    ? (await import('../output/progress-line.ts')).createProgressLine(io.stderr)
    : null;
  try {
    return await indexFolder(dir, {
      signal,
      onProgress: ({ files, path }) => line?.show(`Reading ${files} files … ${path}`),
    });
  } catch (error) {
    if (signal.aborted) return null;
    throw toUsageError(error, WorkspaceError);
  } finally {
    line?.clear();
  }
}

type RunViewContext = {
  readonly folder: FolderIndex;
  readonly id: string;
  readonly model: string;
  readonly kind: RunKind;
  readonly warnings: readonly string[];
};

/** Opens and starts the requested view. */
export async function openRunView(
  options: RunViewOptions,
  io: CommandIo,
  context: RunViewContext,
): Promise<RunView> {
  const { folder, id, warnings } = context;
  const view = await selectRunView(options, io, context);
  view.start({ root: folder.root, paths: folder.paths, session: id });
  for (const line of formatSkippedFiles(folder.skips)) view.warn(line);
  for (const line of warnings) view.warn(line);
  return view;
}

/** Selects the live view at an interactive terminal, lines otherwise. */
async function selectRunView(
  options: RunViewOptions,
  io: CommandIo,
  { kind, model }: RunViewContext,
): Promise<RunView> {
  const { json, quiet, plain, verbose } = options;
  const isLines = [json, quiet, plain, verbose].includes(true);
  if (!isLines && hasKeyboard(io)) {
    // Load it lazily: it is large, and most commands never need it.
    const { createLiveRunView } = await import('./run-live.ts');
    return createLiveRunView(io, { mode: kind, model });
  }
  const view = createPlainRunView(options, io);
  if (kind !== 'chat') return view;
  return createLineChatView(io, view, json === true);
}

function createPlainRunView(
  { json, quiet, verbose }: Pick<RunViewOptions, 'json' | 'quiet' | 'verbose'>,
  io: CommandIo,
): RunView {
  const terminal = openTerminalPrompt(io);
  const asks = { permission: createPermissionAsker(terminal), user: createUserAsker(terminal) };
  if (json === true) return createJsonRunView(io, asks);
  return quiet === true ? createQuietRunView(io, asks) : createLineRunView(io, { asks, verbose });
}

/** Maximum number of skipped paths that are named; the rest are counted. */
const maxNamedSkips = 5;

const skipReasons: Record<SkippedPath['reason'], string> = {
  'too-large': 'it is too large to search',
  binary: 'it is not text',
  unreadable: 'it cannot be read; check its permissions',
  symlink: 'it is a symbolic link',
  special: 'it is not a regular file',
  secret: 'its name suggests that it contains secrets',
  'too-deep': 'it is nested too deeply',
  'limit-reached': 'the folder is too large; this path and all later ones were skipped',
};

/** Skip reasons that are not reported, because most folders contain binary files and symbolic links. */
const expectedSkipReasons: ReadonlySet<SkippedPath['reason']> = new Set(['binary', 'symlink']);

/** Formats one line per skipped file, and one with the number of files not named. */
function formatSkippedFiles(skips: readonly SkippedPath[]): readonly string[] {
  const reported = skips.filter(({ reason }) => !expectedSkipReasons.has(reason));
  const named = reported
    .slice(0, maxNamedSkips)
    .map(({ path, reason }) => `skipped ${path}: ${skipReasons[reason]}`);
  const rest = reported.length - named.length;
  const binary = skips.filter(({ reason }) => reason === 'binary').length;
  return [
    ...named,
    ...(rest > 0 ? [`skipped ${rest} more`] : []),
    ...(binary > 0 ? [`skipped ${binary} ${binary === 1 ? 'file that is' : 'files that are'} not text`] : []),
  ];
}
