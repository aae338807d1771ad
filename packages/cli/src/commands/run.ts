import { resolve } from 'node:path';
import { conversationOf, isEphemeral, summarise, type Budgets, type Profile, type Session } from '@pawl/core';
import {
  Agent,
  answerOf,
  createPhaseTools,
  indexFolder,
  systemProbe,
  watchResources,
  WorkspaceError,
  type Config,
  type FolderIndex,
  type Seen,
} from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { progressLine } from '../progress-line.ts';
import { UsageError } from '../usage-error.ts';
import { terminalOf, type Terminal } from '../terminal.ts';
import { budgetsOf, filledUp, type BudgetFlags } from './budget-options.ts';
import { configOf, withModel } from './config-flags.ts';
import type { ModelFlags } from './model-options.ts';
import { profileNamed } from './profile-option.ts';
import { jsonView, lineView, quietView, type RunResult, type RunView } from './run-view.ts';
import { configFor } from './run-config.ts';
import { setUp } from './run-setup.ts';
import { openTrace, type RunTrace } from './run-trace.ts';
import { skipLines } from './skip-lines.ts';

export type RunOptions = BudgetFlags &
  ModelFlags & {
    readonly dir: string;
    readonly profile?: string;
    readonly json?: boolean;
    readonly quiet?: boolean;
    /** What the agent may do without asking: read-only, ask, auto-edit, full-auto. */
    readonly mode?: string;
    /** Keep each step as a git commit. */
    readonly autoCommit?: boolean;
    /** Pause while the machine is short of processor time, memory or disk space. */
    readonly watchResources?: boolean;
    /** A file to write every prompt, reply and transition to. */
    readonly trace?: string;
    /** Aborted when the user presses Ctrl-C. */
    readonly signal?: AbortSignal;
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
  const profile = await profileNamed(config.profile ?? 'pawl');
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
  const view = viewFor(options, io);
  view.start({ root: folder.root, files: folder.paths.length });
  for (const line of skipLines(folder.skips)) view.warn(line);
  for (const line of found.warnings) view.warn(line);
  const trace = openTrace(options.trace);
  const result = await work(goal, { folder, profile, budgets, signal, view, trace, flags, config, terminal });
  view.end(result);
  return codes[result.status];
}

const codes: Record<RunResult['status'], ExitCode> = {
  answered: exitCodes.finished,
  stuck: exitCodes.stuck,
  budget: exitCodes.budget,
  failed: exitCodes.model,
  interrupted: exitCodes.interrupted,
};

/** Reads the folder; null when the user would not wait for it. */
async function indexUntil(dir: string, signal: AbortSignal, io: Io): Promise<FolderIndex | null> {
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

type Job = {
  readonly folder: FolderIndex;
  readonly profile: Profile;
  readonly budgets: Budgets | null;
  readonly signal: AbortSignal;
  readonly view: RunView;
  readonly trace: RunTrace;
  readonly flags: ModelFlags & Pick<RunOptions, 'watchResources'>;
  readonly config: Config;
  readonly terminal: Terminal | null;
};

async function work(goal: string, { view, trace, ...job }: Job): Promise<RunResult> {
  const { signal } = job;
  const tally = { modelCalls: 0, toolCalls: 0, error: null as string | null };
  const startedAt = Date.now();
  const id = crypto.randomUUID();
  const { means, keep, see, close, warnings } = await setUp({
    ...job,
    id,
    report: (line) => view.warn(line),
  });
  for (const line of warnings) view.warn(line);
  const leave = (): void => void agent.post({ type: 'shutdown-requested' });
  const keeping = inTurn(leave);
  const phases = createPhaseTools({
    post: (event) => agent.post(event),
    phases: () => agent.session.phases,
  });
  const agent: Agent = new Agent({
    ...means,
    model: trace.model(means.model),
    tools: means.session.mode === null ? [...means.tools, ...phases] : means.tools,
    observe(seen) {
      keepCount(tally, seen);
      view.see(seen);
      trace.see(seen);
      see(seen);
      if (!isEphemeral(seen.event)) keeping.add(() => keep(seen.session));
    },
  });
  const watch = job.flags.watchResources === true ? watchMachine(agent, job.folder.root, view) : null;
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  agent.say(goal);
  const session = await agent.idle();
  watch?.stop();
  await keeping.done();
  await close();
  const { modelCalls, toolCalls } = tally;
  const durationMs = Date.now() - startedAt;
  return { ...ending(session, tally.error), session: id, modelCalls, toolCalls, durationMs };
}

/** Pauses the work while the machine has no room for it. */
function watchMachine(agent: Agent, folder: string, view: RunView): { stop(): void } {
  return watchResources({
    post: (event) => agent.post(event),
    session: () => agent.session,
    probe: systemProbe(folder),
    report: (line) => view.warn(line),
  });
}

/** Does one thing after the other. When one fails, nothing more is done, and whoever asks at the end is told. */
function inTurn(onFailure: () => void): { add(piece: () => Promise<void>): void; done(): Promise<void> } {
  let last = Promise.resolve();
  return {
    add(piece) {
      last = last.then(piece);
      last.catch(onFailure);
    },
    done: () => last,
  };
}

function keepCount(
  tally: { modelCalls: number; toolCalls: number; error: string | null },
  { actions, event }: Seen,
): void {
  if (event.type === 'tool-started') tally.toolCalls += 1;
  for (const action of actions) {
    if (action.type === 'ask-model') tally.modelCalls += 1;
    if (action.type === 'show-error') tally.error = action.message;
  }
}

function ending(session: Session, error: string | null): Pick<RunResult, 'status' | 'answer' | 'reason'> {
  const answer = answerOf(conversationOf(session));
  const { turn } = session;
  if (turn.status === 'shuttingDown') return { status: 'interrupted', answer: null, reason: 'Interrupted.' };
  if (turn.status === 'halted') {
    const { reason } = turn.why;
    const status = turn.why.kind === 'budget' ? 'budget' : 'stuck';
    return { status, answer: answer ?? summarise(turn.conversation, reason), reason };
  }
  return answer === null
    ? { status: 'failed', answer, reason: error ?? 'The model gave no answer.' }
    : { status: 'answered', answer, reason: null };
}

function viewFor({ json, quiet }: RunOptions, io: Io): RunView {
  if (json === true) return jsonView(io);
  return quiet === true ? quietView(io) : lineView(io);
}
