import { findTool } from '../tools/tool.ts';
import {
  getUnpausedTurn,
  type Action,
  type Session,
  type TurnState,
  type ActionType,
  type ToolCall,
} from '@pawl/core';
import type { PartialOutput } from '@pawl/core/turn';
import { takesTextForThought } from '@pawl/core/modes';
import { selectRules } from '@pawl/governor/rules';
import { runModelCall, type AgentDependencies } from './agent-dependencies.ts';
import { getErrorMessage } from '../text/one-line.ts';
import { runWithDeadline, type RuntimeClock } from '../platform/clock.ts';
import {
  deriveExecutionId,
  runTool,
  declaresOwnStart,
  findInterruptedCalls,
  reconcileCalls,
  type ToolRunContext,
} from './run-tool.ts';
import { buildModelRequest } from './prompt.ts';

type RunningTask = ActionTask & { readonly controller: AbortController; readonly ended: Promise<void> };

/** Maximum length of an interrupted reply that is kept. */
const partialTextChars = 50_000;

const noOutput = { output: null } as const;

/** Tracks running tasks so that none starts twice and each can be cancelled. */
export class ActionRunner {
  readonly #context: TaskContext;
  readonly #onTaskEnd: () => void;
  readonly #running = new Map<string, RunningTask>();
  /** The text of the latest reply, and the request it answers. */
  #text = '';
  #textRequest = 0;

  constructor({ onTaskEnd, ...context }: TaskContext & { readonly onTaskEnd: () => void }) {
    this.#context = context;
    this.#onTaskEnd = onTaskEnd;
  }

  perform(action: Action, session: Session): void {
    if (action.type === 'abort') this.#abort((task) => task.request === action.request);
    for (const task of createActionTasks(action, session, this.#context)) void this.#start(task);
  }

  /** Whether all of these actions may start before the event that requested them is persisted. */
  mayStartEarly(actions: readonly Action[]): boolean {
    return actions.every((action) => startsWithPost(action, this.#context));
  }

  /** Reconciles calls that were interrupted when another process ended. */
  async reconcile(session: Session): Promise<void> {
    const task = createReconcileTask(session, this.#context);
    if (task !== null) await this.#start(task);
  }

  /** Removes spooled executions whose results are already in the log. */
  async cleanSpool(session: Session): Promise<void> {
    const executions = findInterruptedCalls(session)?.runs.map(({ execution }) => execution) ?? [];
    await this.#context.dependencies.spool.retainOnly(executions).catch(() => undefined);
  }

  /** Cancels the retry timer and permission prompts that the new turn state no longer needs. */
  cancelObsoleteTasks(from: TurnState, to: TurnState): void {
    if (from.status === 'errorRecovery' && to.status !== 'errorRecovery' && to.status !== 'paused')
      this.#abort((task) => task.name === 'retry');
    const previous = listPermissionTasks(from);
    if (previous.size === 0) return;
    const current = listPermissionTasks(to);
    this.#abort(({ name }) => previous.has(name) && !current.has(name));
  }

  /** Notes the text of a reply as it arrives, in case the user interrupts it. Runs for each piece of a stream. */
  noteText(request: number, text: string): void {
    if (request !== this.#textRequest) {
      this.#textRequest = request;
      this.#text = '';
    }
    this.#text += text;
  }

  /** Returns what the work in progress has produced so far; null if it is nothing. */
  async collectPartialOutput(session: Session): Promise<PartialOutput | null> {
    const turn = getUnpausedTurn(session.turn);
    if (turn.status === 'callingModel') {
      const text = this.#textRequest === turn.request ? this.#text.slice(-partialTextChars) : '';
      return text.trim() === '' ? null : { reply: { request: turn.request, text } };
    }
    const runs = findInterruptedCalls(session)?.runs ?? [];
    const outputs: Record<string, string> = {};
    for (const { call, execution } of runs) {
      const { output } = await this.#context.dependencies.spool.find(execution).catch(() => noOutput);
      if (output !== null && output !== '') outputs[call.id] = output;
    }
    return Object.keys(outputs).length === 0 ? null : { outputs };
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Cancels all tasks; resolves when they have ended. */
  async stop(): Promise<void> {
    this.#abort(() => true);
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async #start(task: ActionTask): Promise<void> {
    const key = `${task.request} ${task.name}`;
    if (this.#running.has(key)) return;
    const controller = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#running.set(key, { ...task, controller, ended });
    try {
      await task.run(controller.signal);
    } finally {
      this.#running.delete(key);
      resolve();
      this.#onTaskEnd();
    }
  }

  #abort(isObsolete: (task: ActionTask) => boolean): void {
    for (const task of this.#running.values()) if (isObsolete(task)) task.controller.abort();
  }
}

/** Names of the tasks that wait for a permission decision. A decision may also arrive from elsewhere, as a command. */
function listPermissionTasks(turn: TurnState): ReadonlySet<string> {
  const active = getUnpausedTurn(turn);
  if (active.status !== 'awaitingPermission') return noPermissionTasks;
  const pending = active.calls.filter(({ decision }) => decision === 'pending');
  return new Set(pending.map(({ call }) => getPermissionTaskName(call)));
}

const noPermissionTasks: ReadonlySet<string> = new Set();

/** A task that runs concurrently and reports through events. Request and `name` together identify it. */
export type ActionTask = {
  readonly request: number;
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<unknown>;
};

export type TaskContext = Pick<ToolRunContext, 'dependencies' | 'post' | 'canPersist'> & {
  readonly clock: RuntimeClock;
};

/** Creates the tasks that carry out an action. */
function createActionTasks(action: Action, session: Session, context: TaskContext): readonly ActionTask[] {
  // `taskFactories` guarantees that the factory for an action's type accepts that action.
  const createTasks = taskFactories[action.type] as TaskFactory<ActionType>;
  return createTasks(action, context, session);
}

/**
 * Whether the first effect of an action, if it has any, is to post an event and to wait until that event is persisted.
 * Such an action may start before the event that requested it is persisted, because both are persisted together.
 */
function startsWithPost(action: Action, { dependencies }: TaskContext): boolean {
  switch (action.type) {
    case 'run-tools':
      return !action.calls.some((call) => declaresOwnStart(dependencies, call));
    case 'wait':
      return action.until === null;
    default:
      return action.type === 'show-text' || action.type === 'show-error';
  }
}

type TaskFactory<Type extends ActionType> = (
  action: Extract<Action, { readonly type: Type }>,
  context: TaskContext,
  session: Session,
) => readonly ActionTask[];

/** Creates the task that reconciles calls interrupted when another process ended; null if there are none. */
function createReconcileTask(
  session: Session,
  { dependencies, post, canPersist }: TaskContext,
): ActionTask | null {
  const interrupted = findInterruptedCalls(session);
  if (interrupted === null) return null;
  const run = (signal: AbortSignal): Promise<void> =>
    reconcileCalls(interrupted, { dependencies, post, signal, canPersist });
  return { request: interrupted.request, name: 'reconcile', run };
}

function getPermissionTaskName({ id }: Pick<ToolCall, 'id'>): string {
  return `permission ${id}`;
}

/** Calls run in parallel only if all of them are read-only; otherwise they run one after the other. */
function isReadOnlyTool(dependencies: AgentDependencies, name: string): boolean {
  return findTool(dependencies.tools, name)?.effect === 'read-only';
}

/** Cancelled work posts no result; it is restarted if still needed. */
async function postUnlessAborted(signal: AbortSignal, post: () => Promise<boolean>): Promise<void> {
  if (!signal.aborted) await post();
}

/** For actions that only inform observers or that the agent loop handles itself. */
const createNoTasks = (): readonly ActionTask[] => [];

const taskFactories: { readonly [Type in ActionType]: TaskFactory<Type> } = {
  'ask-model': (action, { dependencies, post, clock }, session) => {
    const { request, deadline } = action;
    const tools = dependencies.tools.map((tool) => tool.description);
    const modelRequest = buildModelRequest(action, session, {
      prompt: dependencies.prompt,
      tools,
      at: clock.now(),
    });
    const cutsRepetition = selectRules(session.settings.governor).some(
      (rule) => rule.on === 'repetition-loop',
    );
    const run = async (signal: AbortSignal): Promise<void> => {
      await runWithDeadline(deadline, { clock, signal }, async (timedSignal) => {
        await runModelCall(dependencies, modelRequest, {
          request,
          post,
          signal: timedSignal,
          cutsRepetition,
          textKind: action.tools && takesTextForThought(session) ? 'thought' : 'answer',
        });
        if (timedSignal.aborted && !signal.aborted) {
          const error = {
            kind: 'timeout',
            message: 'The final answer timed out.',
            retryable: false,
          } as const;
          await post({ type: 'model-failed', request, error });
        }
      });
    };
    return [{ request, name: 'model', run }];
  },
  'ask-permission': ({ request, calls }, { dependencies, post }) =>
    calls.map((call) => ({
      request,
      name: getPermissionTaskName(call),
      async run(signal) {
        const decision = await dependencies
          .decide(call, signal)
          .catch((error: unknown) => ({ decision: 'deny' as const, reason: getErrorMessage(error) }));
        // A cancelled prompt is not a decision: the process that resumes the session asks again.
        if (!signal.aborted)
          await post({ type: 'permission-decided', request, callId: call.id, ...decision });
      },
    })),
  'run-tools': ({ request, calls }, context, { id }) => {
    const { dependencies } = context;
    const isParallel = calls.every((call) => isReadOnlyTool(dependencies, call.tool));
    let last: Promise<unknown> | null = null;
    return calls.map((call) => ({
      request,
      name: `tool ${call.id}`,
      run(signal) {
        const execution = deriveExecutionId(id, request, call.id);
        const run = (): Promise<void> => runTool({ request, call, execution }, { ...context, signal });
        if (isParallel) return run();
        // The first call starts synchronously, so that its start is posted before the event that requested it is
        // persisted.
        last = last === null ? run() : last.then(run, run);
        return last;
      },
    }));
  },
  'run-hooks': ({ request, completed }, { dependencies, post }) => [
    {
      request,
      name: 'hooks',
      run: (signal) =>
        dependencies.hooks(completed, signal).then(
          (actionTaken) =>
            postUnlessAborted(signal, () => post({ type: 'hooks-finished', request, actionTaken })),
          (error: unknown) =>
            postUnlessAborted(signal, () =>
              post({
                type: 'hooks-failed',
                request,
                jitter: dependencies.random(),
                message: getErrorMessage(error),
              }),
            ),
        ),
    },
  ],
  'page-memory': ({ request, reason }, { dependencies, post }) => [
    {
      request,
      name: 'paging',
      run: (signal) =>
        dependencies.page(reason, signal).then(
          (freed) => postUnlessAborted(signal, () => post({ type: 'paging-finished', request, ...freed })),
          (error: unknown) =>
            postUnlessAborted(signal, () =>
              post({
                type: 'paging-failed',
                request,
                jitter: dependencies.random(),
                message: getErrorMessage(error),
              }),
            ),
        ),
    },
  ],
  // The agent loop does this itself before it processes the next event.
  store: createNoTasks,
  recover: ({ request, verdict }, { dependencies, post, clock }) => [
    {
      request,
      name: 'recovery',
      async run(signal) {
        const { response } = verdict;
        const waitMs = response.kind === 'recover' ? response.waitMs : undefined;
        if (waitMs !== undefined) await clock.sleepUntil(clock.now() + waitMs, signal);
        const outcome = await dependencies
          .recover(verdict, signal)
          .catch((error: unknown) => ({ kind: 'give-up' as const, reason: getErrorMessage(error) }));
        await postUnlessAborted(signal, () => post({ type: 'recovery-finished', request, outcome }));
      },
    },
  ],
  wait: ({ until }, { post, clock }, { turn, settings }) => {
    if (until === null || turn.status !== 'errorRecovery') return [];
    const { request, since } = turn;
    // Cap the wait, so that a clock set back in the meantime does not extend it.
    const waitMaxMs = Math.min(until - since, Math.max(settings.retryMaxMs, settings.retryAfterMaxMs));
    return [
      {
        request,
        name: 'retry',
        async run(signal) {
          await clock.sleepUntil(Math.min(until, clock.now() + waitMaxMs), signal);
          if (!signal.aborted) await post({ type: 'retry-due', request });
        },
      },
    ];
  },
  'show-text': createNoTasks,
  'show-error': createNoTasks,
  abort: createNoTasks,
  stop: createNoTasks,
  'shut-down': createNoTasks,
};
