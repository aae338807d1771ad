import { type ToolCall, type CompletedTool, findTurnAnswer } from '@pawl/core';
import type { StepResult } from '../agent/agent.ts';
import { type CommandSandbox, passthroughSandbox } from '../sandbox/command-sandbox.ts';
import type { AgentDependencies } from '../agent/agent-dependencies.ts';
import { getErrorMessage, toPrintableLine } from '../text/one-line.ts';
import type { PermissionDecision } from '../ports/agent-ports.ts';
import { createAutoCommit, type AutoCommitOptions } from './auto-commit.ts';
import type {
  AfterToolsHook,
  BeforeToolHook,
  FinishedTurn,
  FinishHook,
  HookCommand,
  HookPayload,
} from './hook.ts';
import { scrubEnvironment, runCommand } from '../sandbox/run-command.ts';
import { getTraceEnvironment } from '../platform/trace-context.ts';

export type HooksOptions = {
  readonly workspace: string;
  readonly beforeTool?: readonly BeforeToolHook[];
  readonly afterTools?: readonly AfterToolsHook[];
  readonly finish?: readonly FinishHook[];
  /** Commits each step to git; off by default. */
  readonly autoCommit?: boolean | AutoCommitOptions;
  /** Sandbox in which auto-commit runs git. */
  readonly sandbox?: CommandSandbox;
  /** Receives one line per failure. */
  readonly report?: (line: string) => void;
};

/** Hook integration points of an agent. */
export type AgentHooks = {
  /** Pass as the agent's `hooks`. Never rejects: failed hooks are reported and skipped. */
  readonly afterTools: AgentDependencies['hooks'];
  /** Runs the before-tool hooks ahead of the permission rules and the prompter. */
  guard(
    permissions: Pick<AgentDependencies, 'rules' | 'decide'>,
  ): Pick<AgentDependencies, 'rules' | 'decide'>;
  /** Call from the agent's `observe`: runs the finish hooks at the end of a turn. */
  observe(result: StepResult): void;
  /** Resolves when all finish hooks have ended. */
  waitUntilIdle(): Promise<void>;
};

/** Creates the hooks of an agent. Resolves once auto-commit has recorded the user's uncommitted changes. */
export async function createHooks(config: HooksOptions): Promise<AgentHooks> {
  const { finish = [], report = emitPawlWarning } = config;
  const after = await createAfterToolsHooks(config, report);
  let last: Promise<void> = Promise.resolve();
  let lastFinished: FinishedTurn | null = null;
  return {
    afterTools: (completed, signal) => runAfterToolsHooks(after, completed, signal),
    guard: (permissions) => guardPermissions(config, permissions),
    observe(result) {
      const finished = findFinishedTurn(result);
      // A session that is paused and resumed while it waits for the user reaches the same turn end again.
      if (finished === null || isSameTurnEnd(finished, lastFinished)) return;
      lastFinished = finished;
      for (const hook of finish) last = last.then(() => runFinishHook(hook, finished, { ...config, report }));
    },
    waitUntilIdle: () => last,
  };
}

function emitPawlWarning(line: string): void {
  process.emitWarning(line, 'PawlWarning');
}

type AfterToolsRunner = (completed: readonly CompletedTool[], signal: AbortSignal) => Promise<boolean>;

/** Auto-commit runs last, so that it includes changes made by other hooks. */
async function createAfterToolsHooks(
  config: HooksOptions,
  report: (line: string) => void,
): Promise<readonly AfterToolsRunner[]> {
  const { workspace, afterTools = [], autoCommit = false, sandbox } = config;
  const userHooks = afterTools.map((hook) => createAfterToolsHook(hook, workspace, report));
  if (autoCommit === false) return userHooks;
  const options = autoCommit === true ? {} : autoCommit;
  const commit = await createAutoCommit({
    workspace,
    report,
    ...(sandbox && { sandbox }),
    ...options,
  });
  return [...userHooks, commit];
}

async function runAfterToolsHooks(
  hooks: readonly AfterToolsRunner[],
  completed: readonly CompletedTool[],
  signal: AbortSignal,
): Promise<boolean> {
  let actionTaken = false;
  for (const hook of hooks) if (!signal.aborted && (await hook(completed, signal))) actionTaken = true;
  return actionTaken;
}

function createAfterToolsHook(
  hook: AfterToolsHook,
  workspace: string,
  report: (line: string) => void,
): AfterToolsRunner {
  return async (all, signal) => {
    const completed = all.filter(({ tool }) => matchesTool(hook, tool));
    if (completed.length === 0) return false;
    try {
      if ('run' in hook) {
        const copy = structuredClone(completed);
        return await runHookFunction((timed) => hook.run(copy, timed), hook.timeoutMs, signal);
      }
      const result = await runHookCommand(hook, { hook: 'after-tools', workspace, completed }, signal);
      if (!result.ok) report(`An after-tools hook failed and was skipped: ${result.summary}`);
      return result.ok;
    } catch (error) {
      report(`An after-tools hook failed and was skipped: ${getErrorMessage(error)}`);
      return false;
    }
  };
}

function matchesTool({ tools }: { readonly tools?: readonly string[] }, tool: string): boolean {
  return tools === undefined || tools.includes(tool);
}

/** Turns "allow" into "ask" for calls with a before-tool hook, so that `decide` runs the hooks before the prompter. */
function guardPermissions(
  config: HooksOptions,
  permissions: Pick<AgentDependencies, 'rules' | 'decide'>,
): Pick<AgentDependencies, 'rules' | 'decide'> {
  const { beforeTool = [], workspace } = config;
  const { rules } = permissions;
  return {
    rules(call) {
      const ruling = rules(call);
      return ruling === 'allow' && beforeTool.some((hook) => matchesTool(hook, call.tool)) ? 'ask' : ruling;
    },
    async decide(call, signal) {
      for (const hook of beforeTool.filter((each) => matchesTool(each, call.tool))) {
        const decision = await runBeforeToolHook(hook, call, { workspace, signal });
        if (decision.decision === 'deny') return decision;
      }
      const ruling = rules(call);
      if (ruling === 'allow') return { decision: 'allow' };
      if (ruling === 'ask') return permissions.decide(call, signal);
      return { decision: 'deny', reason: ruling === 'deny' ? 'Denied by a permission rule.' : ruling.reason };
    },
  };
}

type HookCallContext = { readonly workspace: string; readonly signal: AbortSignal };

async function runBeforeToolHook(
  hook: BeforeToolHook,
  call: ToolCall,
  { workspace, signal }: HookCallContext,
): Promise<PermissionDecision> {
  try {
    if ('run' in hook) {
      // A copy, so that a hook cannot modify the call that runs.
      const copy = structuredClone(call);
      const decision = await runHookFunction((timed) => hook.run(copy, timed), hook.timeoutMs, signal);
      return decision.decision === 'allow' ? { decision: 'allow' } : { ...decision, decision: 'deny' };
    }
    const result = await runHookCommand(hook, { hook: 'before-tool', workspace, call }, signal);
    return result.ok
      ? { decision: 'allow' }
      : { decision: 'deny', reason: `Denied by a before-tool hook: ${result.summary}` };
  } catch (error) {
    return {
      decision: 'deny',
      reason: `Denied because a before-tool hook failed: ${getErrorMessage(error)}`,
    };
  }
}

function isSameTurnEnd(finished: FinishedTurn, lastFinished: FinishedTurn | null): boolean {
  return lastFinished?.status === finished.status && lastFinished.messages === finished.messages;
}

function findFinishedTurn({ session, notes }: StepResult): FinishedTurn | null {
  const { turn, id } = session;
  const hasMoved = notes.some((note) => note.type === 'transition' && note.to === turn.status);
  if (!hasMoved) return null;
  const { status } = turn;
  if (status !== 'waitingForUser' && status !== 'halted' && status !== 'shuttingDown') return null;
  const reason = status === 'halted' ? turn.haltReason.reason : null;
  const { conversation } = turn;
  return { session: id, status, messages: conversation.length, answer: findTurnAnswer(conversation), reason };
}

/** Finish hooks are not awaited and cannot be cancelled; only their timeout ends them. */
async function runFinishHook(
  hook: FinishHook,
  finished: FinishedTurn,
  { workspace, report }: { readonly workspace: string; readonly report: (line: string) => void },
): Promise<void> {
  const { signal } = new AbortController();
  try {
    if ('run' in hook)
      return await runHookFunction((timed) => hook.run(finished, timed), hook.timeoutMs, signal);
    const result = await runHookCommand(hook, { hook: 'finish', workspace, finished }, signal);
    if (!result.ok) report(`A finish hook failed: ${result.summary}`);
  } catch (error) {
    report(`A finish hook failed: ${getErrorMessage(error)}`);
  }
}

/** Whether the command exited with 0, and a one-line description. */
type HookResult = { readonly ok: boolean; readonly summary: string };

const hookTimeoutMs = 10_000;

/** Runs a user's hook command. It is not sandboxed because the user configured it, but it receives no secrets. */
async function runHookCommand(
  hook: HookCommand,
  payload: HookPayload,
  signal: AbortSignal,
): Promise<HookResult> {
  const { command, timeoutMs = hookTimeoutMs } = hook;
  const env = { ...scrubEnvironment(), ...getTraceEnvironment() };
  const policy = { cwd: payload.workspace, writable: [], network: true, env };
  const sandboxLaunch = passthroughSandbox.launch(command, policy);
  const input = `${JSON.stringify(payload)}\n`;
  const result = await runCommand({ sandboxLaunch, cwd: payload.workspace, input, timeoutMs, signal });
  const [firstLine = ''] = (result.stdout.trim() || result.stderr.trim()).split('\n');
  const name = toPrintableLine(command[0], 80);
  const summary =
    firstLine === ''
      ? `${name} ${result.summary}`
      : `${name} ${result.summary}: ${toPrintableLine(firstLine, 300)}`;
  return { ok: result.kind === 'exited' && result.code === 0, summary };
}

/** Limits how long a hook function is awaited. The function is signaled to stop but cannot be forced to. */
async function runHookFunction<Answer>(
  run: (signal: AbortSignal) => Answer | Promise<Answer>,
  timeoutMs: number = hookTimeoutMs,
  signal: AbortSignal,
): Promise<Answer> {
  const timeoutSignal = AbortSignal.timeout(timeoutMs);
  const combined = AbortSignal.any([signal, timeoutSignal]);
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void =>
    stopped.reject(
      new Error(timeoutSignal.aborted ? `it timed out after ${timeoutMs / 1_000} s` : 'it was cancelled'),
    );
  combined.addEventListener('abort', onAbort, { once: true });
  if (combined.aborted) onAbort();
  try {
    return await Promise.race([Promise.resolve().then(() => run(combined)), stopped.promise]);
  } finally {
    combined.removeEventListener('abort', onAbort);
  }
}
