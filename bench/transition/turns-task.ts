import { assertPlayed } from '../contenders/agreement.ts';
import { playTurn, type Contender } from '../contenders/contender.ts';
import type { Task } from '../lib/interleave.ts';

export type Start = {
  /** Turns the session has behind it. */
  readonly turnsBefore: number;
  /** Turns to play from there before starting again, so that the heap stays small and garbage stays young. */
  readonly turns: number;
  session(): unknown;
};

/** Turns of one contender, from the same start again and again. */
export function turnsTask(contender: Contender, start: Start): Task {
  let session: unknown;
  let played = 0;
  return {
    name: contender.name,
    run(times) {
      for (let turn = 0; turn < times; turn += 1) {
        if (turn % start.turns === 0) session = start.session();
        session = playTurn(contender, session);
      }
      played = ((times - 1) % start.turns) + 1;
    },
    check() {
      assertPlayed(contender, session, start.turnsBefore + played);
      session = undefined;
    },
  };
}

export function freshSession(contender: Contender, turns: number): Start {
  return { turnsBefore: 0, turns, session: () => contender.create('bench') };
}

/** A session that has had many turns. Only for contenders whose sessions are values and can be gone back to. */
export function longSession(contender: Contender, turnsBefore: number, turns: number): Start {
  let session = contender.create('bench');
  for (let turn = 0; turn < turnsBefore; turn += 1) session = playTurn(contender, session);
  return { turnsBefore, turns, session: () => session };
}
