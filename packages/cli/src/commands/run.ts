import { resolve } from 'node:path';
import { indexFolder, WorkspaceError, type FolderIndex, withAgentKeys } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { progressLine } from '../progress-line.ts';
import { openStore } from '../store-option.ts';
import { terminalOf } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { budgetsOf, filledUp, type BudgetFlags } from './budget-options.ts';
import { configOf, withModel } from './config-flags.ts';
import type { ModelFlags } from './model-options.ts';
import { profileNamed } from './profile-option.ts';
import { aboutOf } from './run-about.ts';
import { configFor } from './run-config.ts';
import { openTrace } from './run-trace.ts';
import { jsonView, lineView, quietView, type RunResult, type RunView } from './run-view.ts';
import { work } from './run-work.ts';
import { skipLines } from './skip-lines.ts';

/** How a run is shown, and what may be told to it from outside. */
export type ViewOptions = {
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** A file to write every prompt, reply and transition to. */
  readonly trace?: string;
  /** Aborted when the user presses Ctrl-C. */
  readonly signal?: AbortSignal;
};

export type RunOptions = BudgetFlags &
  ModelFlags &
  ViewOptions & {
    readonly dir: string;
    readonly profile?: string;
    /** What the agent may do without asking: read-only, ask, auto-edit, full-auto. */
    readonly mode?: string;
    /** Keep each step as a git commit. */
    readonly autoCommit?: boolean;
    /** Pause while the machine is short of processor time, memory or disk space. */
    readonly watchResources?: boolean;
    /** Where the session is kept. */
    readonly store?: string;
  };

/** Works on a goal in a folder until there is an answer. */
export async function run(goal: string, options: RunOptions, io: Io): Promise<ExitCode> {
  if (goal.trim() === '') {
    throw new UsageError('Say what you want to know, for example: pawl run "How are sessions stored?"');
  }
  const asked = budgetsOf(options);
  const terminal = terminalOf(io);
  const found = await configFor(resolve(options.dir), configOf(options), terminal);
  const { config } = found;
  const profileName = config.profile ?? 'pawl';
  const { profile, warnings } = withAgentKeys(await profileNamed(profileName), config);
  const flags = { ...options, ...withModel(options, config) };
  const budgets = filledUp(asked, config.budgets);
  if (budgets !== null && budgets.cost !== null && flags.priceIn === undefined) {
    throw new UsageError(
      'A budget of money needs prices: --price-in and --price-out, in money per million tokens.',
    );
  }
  const { signal = new AbortController().signal } = options;
  const index = await indexUntil(options.dir, signal, io);
  if (index === null) return exitCodes.interrupted;
  using folder = index;
  const id = crypto.randomUUID();
  const view = showing(options, io, { folder, id, warnings: [...found.warnings, ...warnings] });
  const trace = openTrace(options.trace);
  const opened = openStore(options, config);
  if (opened.warning !== null) view.warn(opened.warning);
  try {
    const known = { dir: folder.root, model: flags.model ?? 'librarian', profile: profileName };
    const opening = { kind: 'new', goal, about: aboutOf({ ...flags, ...known }) } as const;
    const job = { id, folder, profile, budgets, signal, view, trace, flags, config, terminal };
    const result = await work({ ...job, opened, opening });
    view.end(result);
    return codeFor(result);
  } finally {
    await opened.close();
  }
}

const codes: Record<RunResult['status'], ExitCode> = {
  answered: exitCodes.finished,
  stuck: exitCodes.stuck,
  budget: exitCodes.budget,
  failed: exitCodes.model,
  interrupted: exitCodes.interrupted,
};

export function codeFor({ status }: RunResult): ExitCode {
  return codes[status];
}

/** Reads the folder; null when the user would not wait for it. */
export async function indexUntil(dir: string, signal: AbortSignal, io: Io): Promise<FolderIndex | null> {
  const line = progressLine(io.stderr);
  try {
    return await indexFolder(dir, {
      signal,
      onProgress: ({ files, path }) => line.show(`Reading ${files} files … ${path}`),
    });
  } catch (error) {
    if (signal.aborted) return null;
    throw error instanceof WorkspaceError ? new UsageError(error.message, { cause: error }) : error;
  } finally {
    line.clear();
  }
}

type Begun = {
  readonly folder: FolderIndex;
  readonly id: string;
  readonly warnings: readonly string[];
};

/** The view that was asked for, begun. */
export function showing(options: ViewOptions, io: Io, { folder, id, warnings }: Begun): RunView {
  const view = viewFor(options, io);
  view.start({ root: folder.root, files: folder.paths.length, session: id });
  for (const line of skipLines(folder.skips)) view.warn(line);
  for (const line of warnings) view.warn(line);
  return view;
}

function viewFor({ json, quiet }: ViewOptions, io: Io): RunView {
  if (json === true) return jsonView(io);
  return quiet === true ? quietView(io) : lineView(io);
}
