import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  conversationOf,
  isTerminal,
  step,
  toArray,
  type Action,
  type Event,
  type Note,
  type Session,
} from '../../src/index.ts';
import { agendaOf } from '../../src/turn/agenda.ts';
import type { Dice } from '../helpers/dice.ts';
import { faultsIn } from '../helpers/history.ts';
import { plausible, stubborn } from '../helpers/plausible.ts';
import { refusal } from '../helpers/tell.ts';
import { walks, type Stride } from '../helpers/walk.ts';

const runs = { numRuns: 150 };

/** Somebody who cannot keep quiet: one event in four is a word of theirs, and each is unlike all others. */
const talkative =
  (choose: (session: Session, throws: Dice) => Event) =>
  (session: Session, throws: Dice): Event =>
    throws.chance(25)
      ? { type: 'steered', at: session.turn.since + 1, text: `word ${session.seq}` }
      : choose(session, throws);

const talkativeWalks = fc.oneof(
  { weight: 3, arbitrary: walks({ choose: talkative(plausible) }) },
  { weight: 1, arbitrary: walks({ profile: 'pawl', choose: talkative(stubborn) }) },
);

/** Room was made by putting the older part of the conversation on the shelf. */
function wasShortened({ before, event, after }: Stride): boolean {
  return before.settings.compact && event.type === 'paging-finished' && refusal(after) === undefined;
}

/** What people said and the machine took, and how often. */
function wordsTaken(strides: readonly Stride[]): ReadonlyMap<string, number> {
  return counted(
    strides
      .filter(({ after }) => refusal(after) === undefined)
      .flatMap(({ event }) =>
        event.type === 'user-message' || event.type === 'steered' ? [event.text] : [],
      ),
  );
}

function wordsIn(session: Session): ReadonlyMap<string, number> {
  const texts = toArray(conversationOf(session)).flatMap((message) =>
    message.role === 'user' && message.text !== phaseMessage ? [message.text] : [],
  );
  return counted(texts);
}

/** What phases say is no person's word. */
const phaseMessage = 'go on with the next part';

function counted(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts.toSorted()) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

describe('whatever happens', () => {
  it('every word taken is in the conversation exactly once when the session waits or has ended', () => {
    let looks = 0;
    fc.assert(
      fc.property(talkativeWalks, ({ strides }) => {
        const shortened = strides.findIndex(wasShortened);
        const whole = shortened === -1 ? strides : strides.slice(0, shortened);
        for (const [index, { after }] of whole.entries()) {
          const { session } = after;
          if (session.turn.status !== 'waitingForUser' && !isTerminal(session)) continue;
          expect(wordsIn(session)).toEqual(wordsTaken(whole.slice(0, index + 1)));
          looks += 1;
        }
      }),
      runs,
    );
    expect(looks).toBeGreaterThan(runs.numRuns);
  });

  it('it is either in the conversation or still to be heard, and never both', () => {
    fc.assert(
      fc.property(talkativeWalks, ({ strides }) => {
        if (strides.some(wasShortened)) return;
        const end = strides.at(-1)?.after.session;
        if (end === undefined) return;
        const heard = [...wordsIn(end)].flatMap(([text, times]) => Array<string>(times).fill(text));
        const both = counted([...heard, ...(agendaOf(end.turn).said ?? [])]);
        expect(both).toEqual(wordsTaken(strides));
      }),
      runs,
    );
  });

  it('no word stands between a call and its result, and whoever asks the model has it hear all of them', () => {
    fc.assert(
      fc.property(talkativeWalks, ({ strides }) => {
        for (const { before, after } of strides) {
          const ask = after.actions.find((action) => action.type === 'ask-model');
          if (ask === undefined) continue;
          expect(faultsIn(ask.conversation)).toEqual([]);
          // A call that goes on after a pause is the one that was under way when it began.
          if (before.turn.status !== 'paused') expect(agendaOf(after.session.turn).said).toBeUndefined();
        }
      }),
      runs,
    );
  });

  it('while waiting for the user it is a message like any other', () => {
    let looks = 0;
    fc.assert(
      fc.property(talkativeWalks, ({ strides }) => {
        for (const { before } of strides) {
          if (before.turn.status !== 'waitingForUser') continue;
          const said = { at: before.turn.since + 5, text: 'like any other' };
          const steered = step(before, { type: 'steered', ...said });
          const message = step(before, { type: 'user-message', ...said });
          expect(steered.session).toStrictEqual(message.session);
          expect(steered.actions).toStrictEqual<readonly Action[]>(message.actions);
          expect(steered.notes.map(withoutCause)).toStrictEqual(message.notes.map(withoutCause));
          looks += 1;
        }
      }),
      runs,
    );
    expect(looks).toBeGreaterThan(runs.numRuns);
  });
});

function withoutCause(note: Note): Note {
  return note.type === 'transition' ? { ...note, cause: 'user-message' } : note;
}
