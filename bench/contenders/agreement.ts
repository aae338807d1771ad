import { isDeepStrictEqual } from 'node:util';
import { outbox, playTurn, type Contender } from './contender.ts';
import { messagesPerTurn } from './turn-events.ts';

/** What can be seen of a contender after a turn. */
export type Sight = {
  readonly status: string;
  readonly messages: readonly unknown[];
  /** Types of the actions of this turn. `wait` is left out: most say it by saying nothing. */
  readonly actions: readonly string[];
};

/** Plays a session and looks at it after every turn. */
export function play(contender: Contender, turns: number): readonly Sight[] {
  const sights: Sight[] = [];
  let session = contender.create('agreement');
  for (let turn = 0; turn < turns; turn += 1) {
    const log: string[] = [];
    outbox.log = log;
    session = playTurn(contender, session);
    outbox.log = null;
    sights.push({
      status: contender.statusOf(session),
      messages: contender.messagesOf(session),
      actions: log.filter((type) => type !== 'wait'),
    });
  }
  return sights;
}

/** Throws unless everyone ends every turn in the same state, with the same messages, having asked for the same things. */
export function assertAgreement([first, ...others]: readonly Contender[], turns: number): void {
  if (first === undefined) return;
  const expected = play(first, turns);
  for (const other of others) {
    if (!isDeepStrictEqual(play(other, turns), expected)) {
      throw new Error(`Expected ${other.name} to end every turn like ${first.name}, but it does not`);
    }
  }
}

/** Throws unless a session that was timed did all of its turns. */
export function assertPlayed(contender: Contender, session: unknown, turns: number): void {
  const status = contender.statusOf(session);
  const { length } = contender.messagesOf(session);
  if (status === 'waitingForUser' && length === turns * messagesPerTurn) return;
  throw new Error(
    `Expected ${contender.name} to wait for the user after ${turns} turns with ${turns * messagesPerTurn} messages, ` +
      `got ${status} with ${length}`,
  );
}
