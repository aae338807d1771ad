import { resolve } from 'node:path';
import { indexFolder, WorkspaceError, type FolderIndex, withAgentKeys } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { progressLine } from '../progress-line.ts';
import { openStoreOrNowhere } from '../store-option.ts';
import { hasKeys, permissionAt, questionAt, terminalOf } from '../terminal.ts';
import { UsageError, asUsageError } from '../usage-error.ts';
import { budgetsOf, filledUp, type BudgetFlags } from './budget-options.ts';
import { chatLines } from './chat-lines.ts';
import { configOf, withModel } from './config-flags.ts';
import type { ModelFlags } from './model-options.ts';
import { profileNamed } from './profile-option.ts';
import { aboutOf } from './run-about.ts';
import { configFor } from './run-config.ts';
import { openRecords, type LogOptions } from './run-log.ts';
import { openedBeside } from './run-open.ts';
import { runTelemetry } from './run-telemetry.ts';
import { jsonView, lineView, quietView, type RunResult, type RunView } from './run-view.ts';
import { work } from './run-work.ts';
import { skipLines } from './skip-lines.ts';

/** How a run is shown, and what may be told to it from outside. */
export type ViewOptions = LogOptions & {
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Lines instead of the live view. */
  readonly plain?: boolean;
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
    /** Show it in a browser as well. */
    readonly open?: boolean;
  };

/** Works on a goal in a folder until there is an answer. */
export async function run(goal: string, options: RunOptions, io: Io): Promise<ExitCode> {
  if (goal.trim() === '') {
    throw new UsageError('Say what you want to know, for example: pawl run "How are sessions stored?"');
  }
  return begin(goal, { ...options, kind: 'run' }, io);
}

/** Begins a session: one goal, or a conversation that goes on. */
export async function begin(
  goal: string | null,
  options: RunOptions & { readonly kind: RunKind },
  io: Io,
): Promise<ExitCode> {
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
  const model = flags.model ?? 'librarian';
  const about = { folder, id, model, kind: options.kind, warnings: [...found.warnings, ...warnings] };
  const view = await showing(options, io, about);
  const trace = openRecords(options, folder.root, (line) => view.warn(line));
  const telemetry = await runTelemetry(config, view, io, options.open === true);
  const opened = await openStoreOrNowhere(options, config);
  if (opened.warning !== null) view.warn(opened.warning);
  try {
    const known = { dir: folder.root, model, profile: profileName };
    const opening = { kind: 'new', goal, about: aboutOf({ ...flags, ...known }) } as const;
    const job = { id, folder, profile, budgets, signal, trace, telemetry, flags, config, terminal };
    const worked = async (seen: RunView): Promise<ExitCode> => {
      const result = await work({ ...job, view: seen, opened, opening });
      await view.end(result);
      return codeFor(result, options.kind);
    };
    if (options.open !== true) return await worked(view);
    return await openedBeside({ opened, id, dir: folder.root, telemetry, view, signal, io }, worked);
  } finally {
    await opened.close();
    await telemetry?.shutdown();
  }
}

const codes: Record<RunResult['status'], ExitCode> = {
  answered: exitCodes.finished,
  stuck: exitCodes.stuck,
  budget: exitCodes.budget,
  denied: exitCodes.denied,
  failed: exitCodes.model,
  interrupted: exitCodes.interrupted,
};

/** A conversation that was left while nothing was under way came to its end; what was said in it is another matter. */
export function codeFor({ status }: RunResult, kind: RunKind): ExitCode {
  return kind === 'chat' && status === 'failed' ? exitCodes.finished : codes[status];
}

export type RunKind = 'run' | 'chat';

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
    throw asUsageError(error, WorkspaceError);
  } finally {
    line.clear();
  }
}

type Begun = {
  readonly folder: FolderIndex;
  readonly id: string;
  readonly model: string;
  readonly kind: RunKind;
  readonly warnings: readonly string[];
};

/** The view that was asked for, begun. */
export async function showing(options: ViewOptions, io: Io, begun: Begun): Promise<RunView> {
  const { folder, id, warnings } = begun;
  const view = await viewFor(options, io, begun);
  view.start({ root: folder.root, files: folder.paths.length, session: id });
  for (const line of skipLines(folder.skips)) view.warn(line);
  for (const line of warnings) view.warn(line);
  return view;
}

/** Live where somebody is there to look and to press keys; else lines. */
async function viewFor(
  { json, quiet, plain }: ViewOptions,
  io: Io,
  { kind, model }: Begun,
): Promise<RunView> {
  const isLines = json === true || quiet === true || plain === true;
  if (!isLines && hasKeys(io)) {
    // Loaded only now: it is large, and most commands never need it.
    const { liveRunView } = await import('./run-live.ts');
    return liveRunView(io, { mode: kind, model });
  }
  const view = linesFor({ json, quiet }, io);
  return kind === 'chat' ? chatLines(io, view, json === true) : view;
}

function linesFor(
  { json, quiet }: { json?: boolean | undefined; quiet?: boolean | undefined },
  io: Io,
): RunView {
  const terminal = terminalOf(io);
  const asks = { permission: permissionAt(terminal), user: questionAt(terminal) };
  if (json === true) return jsonView(io, asks);
  return quiet === true ? quietView(io, asks) : lineView(io, asks);
}
