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
  readonly #means: TaskContext;
  readonly #underWay = new Map<string, RunningTask>();

  constructor(means: TaskContext) {
    this.#means = means;
  }

  perform(action: Action, session: Session): void {
    if (action.type === 'abort') this.#abort((piece) => piece.request === action.request);
    for (const piece of createActionTasks(action, session, this.#means)) void this.#begin(piece);
  }

  /** Whether all of these actions may start before the event that requested them is persisted. */
  mayBegin(actions: readonly Action[]): boolean {
    return actions.every((action) => startsWithPost(action, this.#means));
  }

  /** Reconciles calls that were interrupted when another process ended. */
  async settle(session: Session): Promise<void> {
    const piece = createReconcileTask(session, this.#means);
    if (piece !== null) await this.#begin(piece);
  }

  /** Removes spooled executions whose results are already in the log. */
  async tidy(session: Session): Promise<void> {
    const open = findInterruptedCalls(session)?.runs.map(({ execution }) => execution) ?? [];
    await this.#means.world.spool.retainOnly(open).catch(() => undefined);
  }

  /** Cancels the retry timer and permission prompts that the new turn state no longer needs. */
  moved(from: TurnState, to: TurnState): void {
    if (from.status === 'errorRecovery' && to.status !== 'errorRecovery' && to.status !== 'paused')
      this.#abort((piece) => piece.name === 'retry');
    const asked = listPermissionTasks(from);
    if (asked.size === 0) return;
    const open = listPermissionTasks(to);
    this.#abort(({ name }) => asked.has(name) && !open.has(name));
  }

  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Cancels all tasks; resolves when they have ended. */
  async stop(): Promise<void> {
    this.#abort(() => true);
    await Promise.all([...this.#underWay.values()].map(({ ended }) => ended));
  }

  async #begin(piece: ActionTask): Promise<void> {
    const key = `${piece.request} ${piece.name}`;
    if (this.#underWay.has(key)) return;
    const controller = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#underWay.set(key, { ...piece, controller, ended });
    try {
      await piece.run(controller.signal);
    } finally {
      this.#underWay.delete(key);
      resolve();
    }
  }

  #abort(unwanted: (piece: ActionTask) => boolean): void {
    for (const piece of this.#underWay.values()) if (unwanted(piece)) piece.controller.abort();
  }
}

/** Names of the tasks that wait for a permission decision. A decision may also arrive from elsewhere, as a command. */
function listPermissionTasks(turn: TurnState): ReadonlySet<string> {
  const held = getUnpausedTurn(turn);
  if (held.status !== 'awaitingPermission') return noPermissionTasks;
  const pending = held.calls.filter(({ decision }) => decision === 'pending');
  return new Set(pending.map(({ call }) => getPermissionTaskName(call)));
}

const noPermissionTasks: ReadonlySet<string> = new Set();
