import type { Action, Session, Turn } from '@pawl/core';
import { piecesOf, type Means, type Piece } from './perform.ts';

/** Keeps the pieces of work that are under way, so that none is begun twice and each can be called off. */
export class Performer {
  readonly #means: Means;
  readonly #underWay = new Map<string, Piece & { readonly controller: AbortController }>();

  constructor(means: Means) {
    this.#means = means;
  }

  perform(action: Action, session: Session): void {
    if (action.type === 'abort') this.#abort((piece) => piece.request === action.request);
    for (const piece of piecesOf(action, session, this.#means)) this.#begin(piece);
  }

  /** Once the machine has gone elsewhere, a retry is not waited for any longer. */
  moved(from: Turn, to: Turn): void {
    if (from.status !== 'errorRecovery' || to.status === 'errorRecovery' || to.status === 'paused') return;
    this.#abort((piece) => piece.name === 'retry');
  }

  /** Calls off everything. */
  stop(): void {
    this.#abort(() => true);
  }

  #begin(piece: Piece): void {
    const key = `${piece.request} ${piece.name}`;
    if (this.#underWay.has(key)) return;
    const controller = new AbortController();
    this.#underWay.set(key, { ...piece, controller });
    void piece.run(controller.signal).finally(() => this.#underWay.delete(key));
  }

  #abort(unwanted: (piece: Piece) => boolean): void {
    for (const piece of this.#underWay.values()) if (unwanted(piece)) piece.controller.abort();
  }
}
