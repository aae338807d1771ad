import { getUnpausedTurn, type Action, type Session, type TurnState } from '@pawl/core';
import { findInterruptedCalls } from './executions/reconcile.ts';
import {
  startsWithPost,
  getPermissionTaskName,
  createActionTasks,
  createReconcileTask,
  type TaskContext,
  type ActionTask,
} from './action-tasks.ts';

type RunningTask = ActionTask & { readonly controller: AbortController; readonly ended: Promise<void> };

/** Tracks running tasks so that none starts twice and each can be cancelled. */
export class ActionRunner {
  readonly #context: TaskContext;
  readonly #running = new Map<string, RunningTask>();

  constructor(context: TaskContext) {
    this.#context = context;
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
