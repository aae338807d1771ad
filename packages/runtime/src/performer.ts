import { unpaused, type Action, type Session, type Turn } from '@pawl/core';
import { unsettled } from './executions/settle.ts';
import {
  beginsWithPost,
  permissionPiece,
  piecesOf,
  settlementOf,
  type Means,
  type Piece,
} from './perform.ts';

type UnderWay = Piece & { readonly controller: AbortController; readonly ended: Promise<void> };

/** Keeps the pieces of work that are under way, so that none is begun twice and each can be called off. */
export class Performer {
  readonly #means: Means;
  readonly #underWay = new Map<string, UnderWay>();

  constructor(means: Means) {
    this.#means = means;
  }

  perform(action: Action, session: Session): void {
    if (action.type === 'abort') this.#abort((piece) => piece.request === action.request);
    for (const piece of piecesOf(action, session, this.#means)) void this.#begin(piece);
  }

  /** Whether all of these may begin before what asks for them is kept. */
  mayBegin(actions: readonly Action[]): boolean {
    return actions.every((action) => beginsWithPost(action, this.#means));
  }

  /** Finds out what became of calls that were running when another process ended. */
  async settle(session: Session): Promise<void> {
    const piece = settlementOf(session, this.#means);
    if (piece !== null) await this.#begin(piece);
  }

  /** Has the spool forget what the log knows by now. */
  async tidy(session: Session): Promise<void> {
    const open = unsettled(session)?.runs.map(({ execution }) => execution) ?? [];
    await this.#means.world.spool.keepOnly(open).catch(() => undefined);
  }

  /** Once the machine has gone elsewhere, a retry is not waited for any longer, nor is somebody asked who need not answer. */
  moved(from: Turn, to: Turn): void {
    if (from.status === 'errorRecovery' && to.status !== 'errorRecovery' && to.status !== 'paused')
      this.#abort((piece) => piece.name === 'retry');
    const asked = questionsIn(from);
    if (asked.size === 0) return;
    const open = questionsIn(to);
    this.#abort(({ name }) => asked.has(name) && !open.has(name));
  }

  /** Whether anything is under way. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Calls off everything; resolves when all of it has ended. */
  async stop(): Promise<void> {
    this.#abort(() => true);
    await Promise.all([...this.#underWay.values()].map(({ ended }) => ended));
  }

  async #begin(piece: Piece): Promise<void> {
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

  #abort(unwanted: (piece: Piece) => boolean): void {
    for (const piece of this.#underWay.values()) if (unwanted(piece)) piece.controller.abort();
  }
}

/** The names of the pieces of work that wait for a person's decision. Others than the one who was asked may decide. */
function questionsIn(turn: Turn): ReadonlySet<string> {
  const held = unpaused(turn);
  if (held.status !== 'awaitingPermission') return nobodyAsked;
  const pending = held.calls.filter(({ decision }) => decision === 'pending');
  return new Set(pending.map(({ call }) => permissionPiece(call)));
}

const nobodyAsked: ReadonlySet<string> = new Set();
