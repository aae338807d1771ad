import {
  isClosedSession,
  getConversation,
  isTerminalSession,
  type BudgetLimits,
  type Json,
  type Session,
  iterateItems,
  summarizeTurn,
} from '@pawl/core';
import type { Profile } from '@pawl/core/profiles';
import {
  createAgent,
  findTurnAnswer,
  type Agent,
  type AgentObserver,
  type StepResult,
  type ResumedSession,
  type ToolApprover,
} from '@pawl/runtime';
import { toAgentConfig, type ModelFlags } from '@pawl/runtime/agent-setup';
import { createCommandInbox } from '@pawl/runtime/commands';
import type { Config } from '@pawl/runtime/config';
import type { FolderIndex } from '@pawl/runtime/search';
import { StoreError } from '@pawl/runtime/store';
import type { TelemetryClient } from '@pawl/telemetry';
import { setTimeout as sleep } from 'node:timers/promises';
import { sanitizeOneLine } from '../output/sanitize-text.ts';
import { shortenId } from '../output/format-number.ts';
import type { OpenedStore } from '../sessions/store-option.ts';
import { askConfirmation, type TerminalPrompt } from '../output/terminal-prompt.ts';
import type { LiveControls } from '../tui/live-view.ts';
import type { RunLogOptions, RunTrace } from './run-log.ts';
import { toAgentObservers } from '../observability/run-telemetry.ts';
import type { NextInput, RunResult, RunView } from './run-view.ts';

/** The inputs of a run, for a new and for a resumed session. */
export type DriveRunOptions = {
  readonly id: string;
  readonly folder: FolderIndex;
  readonly profile: Profile;
  readonly budgets: BudgetLimits | null;
  readonly signal: AbortSignal;
  readonly view: RunView;
  readonly trace: RunTrace;
  readonly telemetry: TelemetryClient | null;
  readonly flags: ModelFlags & { readonly watchResources?: boolean | undefined };
  readonly config: Config;
  readonly terminal: TerminalPrompt | null;
  readonly opened: OpenedStore;
  readonly start: RunStart;
};

export type RunStart =
  | { readonly kind: 'new'; readonly goal: string | null; readonly metadata: Json }
  /** `message` is the user's new message, if any. */
  | {
      readonly kind: 'resumed';
      readonly resumed: ResumedSession;
      readonly message: string | null;
      readonly metadata: Json;
    };

/** Drives a session until there is nothing left to do or the user leaves. */
export async function driveRun({
  view,
  trace,
  opened,
  start,
  ...options
}: DriveRunOptions): Promise<RunResult> {
  const { signal, id } = options;
  const tally = createRunTally();
  const startedAt = Date.now();
  const detached = new AbortController();
  const detach = (): void => {
    detached.abort();
    void agent.detach();
  };
  const { folder, telemetry, terminal } = options;
  const created = await createAgent({
    ...toAgentConfig(options.flags, options.config),
    profile: options.profile,
    budgets: options.budgets,
    workspace: folder,
    memory: opened.memoryFor(folder.root, start),
    store: opened.store,
    spool: opened.spoolFor(id),
    sessionId: id,
    resumed: start.kind === 'resumed' ? start.resumed : undefined,
    metadata: start.metadata,
    recordManifest: opened.path !== null,
    ask: view.asks,
    approveTools: createToolApprover(terminal),
    observers: [() => createTraceObserver(trace), ...toAgentObservers(telemetry)],
    observe(seen) {
      updateRunTally(tally, seen);
      view.observe(seen);
      commandListener.observe(seen);
    },
    signal,
    report: (line) => view.warn(line),
    onStoreOutage: (outage) => view.setStoreOutage(outage),
    onSaveError: detach,
  });
  const { agent, spool } = created;
  for (const line of created.warnings) view.warn(line);
  const commandListener = createCommandListener(opened, id, created.fence);
  const monitor =
    options.flags.watchResources === true ? await monitorMachine(agent, options.folder.root, view) : null;
  signal.addEventListener('abort', detach, { once: true });
  try {
    view.control(agent.session, createLiveControls(agent, detach), { isStored: opened.path !== null });
    if (signal.aborted) detach();
    await startAgent(agent, start, commandListener);
    commandListener.listen(agent);
    const isWaiting = (paused: Session): boolean =>
      isPaused(paused) && !view.canResume && monitor?.isPausing(paused) !== true;
    const session = await runConversation(agent, {
      view,
      commandListener,
      isWaiting,
      detached: detached.signal,
    });
    if (isPaused(session)) await agent.detach();
    await created.waitUntilSaved();
    const isDone = session.turn.status === 'waitingForUser' || isTerminalSession(session);
    // With nothing in progress, no spooled result still has to reach the log.
    if (isDone) await spool.retainOnly([]);
    const { modelCalls, toolCalls } = tally;
    const durationMs = Date.now() - startedAt;
    const ending = isDone ? deriveRunEnding(session, tally) : createInterruptedEnding(session, opened);
    return { ...ending, session: id, modelCalls, toolCalls, durationMs };
  } finally {
    signal.removeEventListener('abort', detach);
    monitor?.stop();
    await commandListener.stop();
    await created.close();
  }
}

/** Opens the trace and the log of a run, and loads their code only if one of them is requested. */
export async function openRunRecorder(
  options: RunLogOptions,
  root: string,
  warn: (line: string) => void,
): Promise<RunTrace> {
  const { trace = false, traceFile, logFile, logLevel } = options;
  const isRequested = trace || traceFile !== undefined || logFile !== undefined || logLevel !== undefined;
  if (!isRequested) return { model: (model) => model, observe: () => undefined };
  const runLog = await import('./run-log.ts');
  return runLog.createRunRecorder(options, root, warn);
}

/** Traces the requests and replies of every model of the run. */
function createTraceObserver(trace: RunTrace): AgentObserver {
  return {
    observe: (seen) => trace.observe(seen),
    runInContext: ({ summaryModel = null, ...ports }) => ({
      ...ports,
      model: trace.model(ports.model),
      summaryModel: summaryModel && trace.model(summaryModel),
    }),
  };
}

function createToolApprover(terminal: TerminalPrompt | null): ToolApprover {
  return (server, tools) => {
    const names = tools.map(sanitizeOneLine).join(', ');
    const question = `The MCP server ${sanitizeOneLine(server)} offers tools that you have not approved: ${names}. Approve them?`;
    return askConfirmation(terminal, question);
  };
}

async function startAgent(agent: Agent, start: RunStart, commandListener: CommandListener): Promise<void> {
  // Apply permission decisions that were sent in the meantime before asking the user again.
  if (start.kind === 'resumed') await Promise.all([agent.resume(), commandListener.poll(agent)]);
  const message = start.kind === 'new' ? start.goal : start.message;
  if (message !== null) void agent.sendMessage(message);
}

/** Runs turn after turn until there is no next input. */
async function runConversation(
  agent: Agent,
  {
    view,
    commandListener,
    isWaiting,
    detached,
  }: {
    readonly view: RunView;
    readonly commandListener: CommandListener;
    /** Whether a session that is neither idle nor closed waits for a person whom this process cannot ask. */
    readonly isWaiting: (session: Session) => boolean;
    readonly detached: AbortSignal;
  },
): Promise<Session> {
  for (;;) {
    const session = await agent.waitUntilIdle(isWaiting);
    if (detached.aborted || isClosedSession(session)) return session;
    // Apply commands that arrived just before the end.
    await commandListener.poll(agent);
    if (agent.session !== session) continue;
    const next: NextInput = isWaiting(session) ? { kind: 'end' } : await view.next(session);
    if (next.kind === 'say') await agent.sendMessage(next.text);
    if (next.kind !== 'end') continue;
    await commandListener.stop();
    if (agent.session === session || detached.aborted) return agent.session;
    commandListener.listen(agent);
  }
}

function createLiveControls(agent: Agent, detach: () => void): LiveControls {
  const sendMessage = (text: string): void => void agent.sendMessage(text);
  return {
    say: sendMessage,
    steer: sendMessage,
    pause: () => void agent.post({ type: 'pause-requested', reason: 'the user asked for it' }),
    resume: () => void agent.post({ type: 'resume-requested' }),
    finish: () => void agent.post({ type: 'finish-requested', reason: 'the user asked for it' }),
    cancel: () => void agent.post({ type: 'cancel-requested' }),
    leave: detach,
  };
}

/** Pauses the agent while the machine is short of resources. */
async function monitorMachine(agent: Agent, folder: string, view: RunView): Promise<MachineMonitor> {
  const { createSystemProbe, watchResources } = await import('@pawl/runtime/resources');
  let pauseReason: string | null = null;
  const watch = watchResources({
    post(event) {
      if (event.type === 'pause-requested') pauseReason = event.reason;
      return agent.post(event);
    },
    session: () => agent.session,
    probe: createSystemProbe(folder),
    report: (line) => view.warn(line),
  });
  return {
    stop: () => watch.stop(),
    isPausing: ({ turn }) => turn.status === 'paused' && turn.reason === pauseReason,
  };
}

type MachineMonitor = {
  stop(): void;
  /** Whether it paused the session, and will therefore resume it. */
  isPausing(session: Session): boolean;
};

export type RunTally = { modelCalls: number; toolCalls: number; error: string | null; isCancelled: boolean };

export function createRunTally(): RunTally {
  return { modelCalls: 0, toolCalls: 0, error: null, isCancelled: false };
}

export function updateRunTally(
  tally: RunTally,
  { actions, event }: Pick<StepResult, 'actions' | 'event'>,
): void {
  if (event.type === 'tool-started') tally.toolCalls += 1;
  if (event.type === 'cancel-requested') tally.isCancelled = true;
  for (const action of actions) {
    if (action.type === 'ask-model') {
      tally.modelCalls += 1;
      tally.isCancelled = false;
    }
    if (action.type === 'show-error') tally.error = action.message;
  }
}

type RunEnding = Pick<RunResult, 'status' | 'answer' | 'reason'>;

function createInterruptedEnding({ id, turn }: Session, { path }: OpenedStore): RunEnding {
  const sessionRef = shortenId(id);
  const [what, command] =
    turn.status === 'paused'
      ? [
          `The session is paused (${turn.reason}) and waits for a person to resume it.`,
          `pawl tell ${sessionRef} resume && pawl resume ${sessionRef}`,
        ]
      : ['Interrupted.', `pawl resume ${sessionRef}`];
  const reason = path === null ? what : `${what} The session is saved; continue with: ${command}`;
  return { status: 'interrupted', answer: null, reason };
}

function isPaused({ turn }: Session): boolean {
  return turn.status === 'paused';
}

export function deriveRunEnding(session: Session, { error, isCancelled }: RunTally): RunEnding {
  const answer = findTurnAnswer(getConversation(session));
  const { turn } = session;
  if (turn.status === 'halted') {
    const { reason, kind } = turn.haltReason;
    if (kind === 'requested')
      return { status: 'interrupted', answer, reason: `Stopped on request: ${reason}` };
    const status = kind === 'budget' ? 'budget' : wereAllCallsDenied(session) ? 'denied' : 'stuck';
    return {
      status,
      answer: answer ?? summarizeTurn(turn.conversation, reason),
      reason: status === 'denied' ? `${reason}. ${denialReason}` : reason,
    };
  }
  if (isTerminalSession(session)) return { status: 'interrupted', answer: null, reason: 'Interrupted.' };
  if (answer !== null) return { status: 'answered', answer, reason: null };
  if (isCancelled) return { status: 'interrupted', answer, reason: 'Cancelled.' };
  if (wereAllCallsDenied(session)) return { status: 'denied', answer, reason: denialReason };
  return { status: 'failed', answer, reason: error ?? 'The model gave no answer.' };
}

const denialReason =
  'Every tool call was denied. To allow calls, use --mode auto-edit or full-auto, or permission rules in the configuration.';

/** Returns whether every tool call since the last user message was denied. */
function wereAllCallsDenied(session: Session): boolean {
  let denied = 0;
  let others = 0;
  for (const message of iterateItems(getConversation(session))) {
    if (message.role === 'user') denied = others = 0;
    if (message.role !== 'tool') continue;
    const { outcome } = message;
    const kind = outcome.ok ? 'ok' : outcome.error.kind;
    if (kind === 'denied') denied += 1;
    else if (kind !== 'skipped' && kind !== 'cancelled') others += 1;
  }
  return denied > 0 && others === 0;
}

/** Poll interval for commands in the store. */
const commandListenerPollMs = 250;

/** Receives commands sent to a session from another terminal, process or machine. */
export type CommandListener = {
  /** Receives every step result that the agent's observer receives. */
  observe(result: StepResult): void;
  /** Polls once; resolves when the pending commands are executed. */
  poll(agent: Agent): Promise<void>;
  /** Starts polling until `stop` is called. */
  listen(agent: Agent): void;
  /** Stops polling; resolves when the commands in progress are executed. */
  stop(): Promise<void>;
};

/**
 * Creates a no-op listener if nothing is persisted, because then no other process can send commands. `fence` is the
 * fencing token of the claim under which the session runs.
 */
function createCommandListener(
  { store, path }: OpenedStore,
  id: string,
  fence: number | undefined,
): CommandListener {
  if (path === null) return noopListener;
  const inbox = createCommandInbox(store.commands, id, fence);
  let stopped = new AbortController();
  let lastPoll: Promise<void> = Promise.resolve();
  const executePending = async (agent: Agent): Promise<void> => {
    try {
      await inbox.executePending(agent);
    } catch (error) {
      // An unreadable store also fails the event log: the agent reports that outage, and it may be temporary.
      if (!(error instanceof StoreError)) throw error;
    }
  };
  // Serialize polls, because two concurrent polls would find the same commands.
  const poll = (agent: Agent): Promise<void> => (lastPoll = lastPoll.then(() => executePending(agent)));
  const pollRepeatedly = async (agent: Agent, { signal }: AbortController): Promise<void> => {
    while (!signal.aborted) {
      await poll(agent);
      await sleep(commandListenerPollMs, undefined, { signal }).catch(() => undefined);
    }
  };
  return {
    observe: (result) => inbox.observe(result),
    poll,
    listen(agent) {
      stopped = new AbortController();
      // Avoid an unhandled rejection; stop() reports the error.
      void pollRepeatedly(agent, stopped).catch(() => undefined);
    },
    async stop() {
      stopped.abort();
      await lastPoll;
    },
  };
}

const noopListener: CommandListener = {
  observe: () => undefined,
  poll: async () => undefined,
  listen: () => undefined,
  stop: async () => undefined,
};
