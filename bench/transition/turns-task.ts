import { assertTurnsPlayed } from '../contenders/agreement.ts';
import { playTurn, type TurnContender } from '../contenders/contender.ts';
import type { TimedTask } from '../lib/interleave.ts';

export type SessionStart = {
  /** Number of turns before the measurement. */
  readonly turnsBefore: number;
  /** Turns to play before restarting, so that the heap stays small and garbage short-lived. */
  readonly turns: number;
  session(): unknown;
};

/** Plays turns of one contender, repeatedly from the same start. */
export function createTurnsTask(contender: TurnContender, start: SessionStart): TimedTask {
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
      assertTurnsPlayed(contender, session, start.turnsBefore + played);
      session = undefined;
    },
  };
}

export function createFreshStart(contender: TurnContender, turns: number): SessionStart {
  return { turnsBefore: 0, turns, session: () => contender.create('bench') };
}

/** A session after many turns. Only for contenders whose sessions are immutable values that can be reused. */
export function createLongStart(contender: TurnContender, turnsBefore: number, turns: number): SessionStart {
  let session = contender.create('bench');
  for (let turn = 0; turn < turnsBefore; turn += 1) session = playTurn(contender, session);
  return { turnsBefore, turns, session: () => session };
}
