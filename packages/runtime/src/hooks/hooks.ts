import type { Call, CompletedTool } from '@pawl/core';
import type { Seen } from '../agent.ts';
import { answerOf } from '../answer.ts';
import type { Launcher } from '../sandbox/launcher.ts';
import { messageOf, type Decision, type World } from '../work.ts';
import { createAutoCommit, type AutoCommitOptions } from './auto-commit.ts';
import type { AfterToolsHook, BeforeToolHook, Finished, FinishHook } from './hook.ts';
import { runHookCommand, runHookFunction } from './run-hook.ts';

export type HooksConfig = {
  readonly workspace: string;
  readonly beforeTool?: readonly BeforeToolHook[];
  readonly afterTools?: readonly AfterToolsHook[];
  readonly finish?: readonly FinishHook[];
  /** Keeps each step of the work as one git commit. Off unless asked for. */
  readonly autoCommit?: boolean | AutoCommitOptions;
  /** What git is run in, for auto-commit. */
  readonly launcher?: Launcher;
  /** Is told in one line what did not work. */
  readonly report?: (line: string) => void;
};

/** What hooks add to an agent. */
export type Hooks = {
  /** For `hooks` of the agent. Never rejects: what fails is reported and passed over. */
  readonly afterTools: World['hooks'];
  /** Puts the hooks before tools in front of the rules and of the person who decides. */
  guard(world: Pick<World, 'rules' | 'decide'>): Pick<World, 'rules' | 'decide'>;
  /** For `observe` of the agent: runs the hooks for the end of a turn. */
  observe(seen: Seen): void;
  /** Resolves when every hook for the end of a turn has ended. */
  settled(): Promise<void>;
};

/** Everything that runs besides the tools themselves. Resolves once auto-commit knows what the user had changed already. */
export async function createHooks(config: HooksConfig): Promise<Hooks> {
  const { finish = [], report = warn } = config;
  const after = await afterHooks(config, report);
  let last: Promise<void> = Promise.resolve();
  let told: Finished | null = null;
  return {
    afterTools: (completed, signal) => runAll(after, completed, signal),
    guard: (world) => guard(config, world),
    observe(seen) {
      const end = endOfTurn(seen);
      // A session that was paused while waiting for the user comes back to the same end.
      if (end === null || isSame(end, told)) return;
      told = end;
      for (const hook of finish) last = last.then(() => runFinish(hook, end, { ...config, report }));
    },
    settled: () => last,
  };
}

function warn(line: string): void {
  process.emitWarning(line, 'PawlWarning');
}

type After = (completed: readonly CompletedTool[], signal: AbortSignal) => Promise<boolean>;

/** Auto-commit comes last, so that what the other hooks changed is part of the step. */
async function afterHooks(config: HooksConfig, report: (line: string) => void): Promise<readonly After[]> {
  const { workspace, afterTools = [], autoCommit = false, launcher } = config;
  const users = afterTools.map((hook) => afterHook(hook, workspace, report));
  if (autoCommit === false) return users;
  const options = autoCommit === true ? {} : autoCommit;
  const commit = await createAutoCommit({ workspace, report, ...(launcher && { launcher }), ...options });
  return [...users, commit];
}

async function runAll(
  hooks: readonly After[],
  completed: readonly CompletedTool[],
  signal: AbortSignal,
): Promise<boolean> {
  let actionTaken = false;
  for (const hook of hooks) if (!signal.aborted && (await hook(completed, signal))) actionTaken = true;
  return actionTaken;
}

function afterHook(hook: AfterToolsHook, workspace: string, report: (line: string) => void): After {
  return async (all, signal) => {
    const completed = all.filter(({ tool }) => isFor(hook, tool));
    if (completed.length === 0) return false;
    try {
      if ('run' in hook) {
        const copy = structuredClone(completed);
        return await runHookFunction((timed) => hook.run(copy, timed), hook.timeoutMs, signal);
      }
      const end = await runHookCommand(hook, { hook: 'after-tools', workspace, completed }, signal);
      if (!end.ok) report(`A hook after tools did not work and was passed over: ${end.what}`);
      return end.ok;
    } catch (error) {
      report(`A hook after tools did not work and was passed over: ${messageOf(error)}`);
      return false;
    }
  };
}

function isFor({ tools }: { readonly tools?: readonly string[] }, tool: string): boolean {
  return tools === undefined || tools.includes(tool);
}

/** A call that a hook is to look at is asked about; whoever would have been asked comes after the hook. */
function guard(config: HooksConfig, world: Pick<World, 'rules' | 'decide'>): Pick<World, 'rules' | 'decide'> {
  const { beforeTool = [], workspace } = config;
  const { rules } = world;
  return {
    rules(call) {
      const said = rules(call);
      return said === 'allow' && beforeTool.some((hook) => isFor(hook, call.tool)) ? 'ask' : said;
    },
    async decide(call, signal) {
      for (const hook of beforeTool.filter((each) => isFor(each, call.tool))) {
        const said = await look(hook, call, { workspace, signal });
        if (said.decision === 'deny') return said;
      }
      const said = rules(call);
      if (said === 'allow') return { decision: 'allow' };
      if (said === 'ask') return world.decide(call, signal);
      return { decision: 'deny', reason: said === 'deny' ? 'The rules deny it.' : said.because };
    },
  };
}

type Looking = { readonly workspace: string; readonly signal: AbortSignal };

async function look(hook: BeforeToolHook, call: Call, { workspace, signal }: Looking): Promise<Decision> {
  try {
    if ('run' in hook) {
      // A copy, so that what the hook saw is what runs.
      const copy = structuredClone(call);
      const said = await runHookFunction((timed) => hook.run(copy, timed), hook.timeoutMs, signal);
      return said.decision === 'allow' ? { decision: 'allow' } : { ...said, decision: 'deny' };
    }
    const end = await runHookCommand(hook, { hook: 'before-tool', workspace, call }, signal);
    return end.ok ? { decision: 'allow' } : { decision: 'deny', reason: `A hook said no: ${end.what}` };
  } catch (error) {
    return { decision: 'deny', reason: `A hook that must agree did not work: ${messageOf(error)}` };
  }
}

function isSame(end: Finished, told: Finished | null): boolean {
  return told?.status === end.status && told.messages === end.messages;
}

function endOfTurn({ session, notes }: Seen): Finished | null {
  const { turn, id } = session;
  const hasMoved = notes.some((note) => note.type === 'transition' && note.to === turn.status);
  if (!hasMoved) return null;
  const { status } = turn;
  if (status !== 'waitingForUser' && status !== 'halted' && status !== 'shuttingDown') return null;
  const reason = status === 'halted' ? turn.why.reason : null;
  const { conversation } = turn;
  return { session: id, status, messages: conversation.length, answer: answerOf(conversation), reason };
}

/** Nobody waits for these, so nobody can call them off; they end at their deadline. */
async function runFinish(
  hook: FinishHook,
  finished: Finished,
  { workspace, report }: { readonly workspace: string; readonly report: (line: string) => void },
): Promise<void> {
  const { signal } = new AbortController();
  try {
    if ('run' in hook)
      return await runHookFunction((timed) => hook.run(finished, timed), hook.timeoutMs, signal);
    const end = await runHookCommand(hook, { hook: 'finish', workspace, finished }, signal);
    if (!end.ok) report(`A hook for the end of a turn did not work: ${end.what}`);
  } catch (error) {
    report(`A hook for the end of a turn did not work: ${messageOf(error)}`);
  }
}
