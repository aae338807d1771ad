import { isDeepStrictEqual } from 'node:util';
import { actionOutbox, playTurn, type TurnContender } from './contender.ts';
import { messagesPerTurn } from './turn-events.ts';

/** The observable state of a contender after a turn. */
export type TurnSnapshot = {
  readonly status: string;
  readonly messages: readonly unknown[];
  /** Action types of this turn, without `wait`, which most contenders do not emit. */
  readonly actions: readonly string[];
};

/** Plays a session and takes a snapshot after every turn. */
export function playSession(contender: TurnContender, turns: number): readonly TurnSnapshot[] {
  const snapshots: TurnSnapshot[] = [];
  let session = contender.create('agreement');
  for (let turn = 0; turn < turns; turn += 1) {
    const log: string[] = [];
    actionOutbox.log = log;
    session = playTurn(contender, session);
    actionOutbox.log = null;
    snapshots.push({
      status: contender.getStatus(session),
      messages: contender.getMessages(session),
      actions: log.filter((type) => type !== 'wait'),
    });
  }
  return snapshots;
}

/** Throws unless all contenders end every turn in the same state, with the same messages and the same actions. */
export function assertAgreement([first, ...others]: readonly TurnContender[], turns: number): void {
  if (first === undefined) return;
  const expected = playSession(first, turns);
  for (const other of others) {
    if (!isDeepStrictEqual(playSession(other, turns), expected)) {
      throw new Error(`Expected ${other.name} to end every turn like ${first.name}, but it does not`);
    }
  }
}

/** Throws unless a timed session completed all of its turns. */
export function assertTurnsPlayed(contender: TurnContender, session: unknown, turns: number): void {
  const status = contender.getStatus(session);
  const { length } = contender.getMessages(session);
  if (status === 'waitingForUser' && length === turns * messagesPerTurn) return;
  throw new Error(
    `Expected ${contender.name} to wait for the user after ${turns} turns with ${turns * messagesPerTurn} messages, ` +
      `got ${status} with ${length}`,
  );
}
