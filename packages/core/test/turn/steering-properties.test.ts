import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  toItemArray,
  getConversation,
  isTerminalSession,
  step,
  type Action,
  type Event,
  type Note,
  type Session,
} from '../../src/index.ts';
import { getAgenda } from '../../src/turn/agenda.ts';
import type { SeededDice } from '../helpers/seeded-dice.ts';
import { findConversationFaults } from '../helpers/conversation-faults.ts';
import { choosePlausibleEvent, chooseStubbornEvent } from '../helpers/choose-plausible-event.ts';
import { getRefusalReason } from '../helpers/run-events.ts';
import { createWalkArbitrary, type WalkStep } from '../helpers/random-walk.ts';

const propertyOptions = { numRuns: 150 };

/** Inserts steering: one event in four is a steering message, and each text is unique. */
const createTalkativeChooser =
  (choose: (session: Session, throws: SeededDice) => Event) =>
  (session: Session, throws: SeededDice): Event =>
    throws.chance(25)
      ? { type: 'steered', at: session.turn.since + 1, text: `word ${session.seq}` }
      : choose(session, throws);

const talkativeWalks = fc.oneof(
  { weight: 3, arbitrary: createWalkArbitrary({ choose: createTalkativeChooser(choosePlausibleEvent) }) },
  {
    weight: 1,
    arbitrary: createWalkArbitrary({ profile: 'pawl', choose: createTalkativeChooser(chooseStubbornEvent) }),
  },
);

/** Room was made by putting the older part of the conversation on the shelf. */
function wasCompacted({ before, event, after }: WalkStep): boolean {
  return before.settings.compact && event.type === 'paging-finished' && getRefusalReason(after) === undefined;
}

/** What people said and the machine took, and how often. */
function countTakenTexts(strides: readonly WalkStep[]): ReadonlyMap<string, number> {
  return countTexts(
    strides
      .filter(({ after }) => getRefusalReason(after) === undefined)
      .flatMap(({ event }) =>
        event.type === 'user-message' || event.type === 'steered' ? [event.text] : [],
      ),
  );
}

function countUserTexts(session: Session): ReadonlyMap<string, number> {
  const texts = toItemArray(getConversation(session)).flatMap((message) =>
    message.role === 'user' && message.text !== phaseMessage ? [message.text] : [],
  );
  return countTexts(texts);
}

/** What phases say is no person's word. */
const phaseMessage = 'go on with the next part';

function countTexts(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts.toSorted()) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

describe('for any events', () => {
  it('every accepted steering message is in the conversation exactly once when the session waits or has ended', () => {
    let looks = 0;
    fc.assert(
      fc.property(talkativeWalks, ({ steps }) => {
        const shortened = steps.findIndex(wasCompacted);
        const whole = shortened === -1 ? steps : steps.slice(0, shortened);
        for (const [index, { after }] of whole.entries()) {
          const { session } = after;
          if (session.turn.status !== 'waitingForUser' && !isTerminalSession(session)) continue;
          expect(countUserTexts(session)).toEqual(countTakenTexts(whole.slice(0, index + 1)));
          looks += 1;
        }
      }),
      propertyOptions,
    );
    expect(looks).toBeGreaterThan(propertyOptions.numRuns);
  });

  it('a steering message is either in the conversation or pending, and never both', () => {
    fc.assert(
      fc.property(talkativeWalks, ({ steps }) => {
        if (steps.some(wasCompacted)) return;
        const end = steps.at(-1)?.after.session;
        if (end === undefined) return;
        const observed = [...countUserTexts(end)].flatMap(([text, times]) => Array<string>(times).fill(text));
        const both = countTexts([...observed, ...(getAgenda(end.turn).steering ?? [])]);
        expect(both).toEqual(countTakenTexts(steps));
      }),
      propertyOptions,
    );
  });

  it('no steering message is between a call and its result, and every model call includes all of them', () => {
    fc.assert(
      fc.property(talkativeWalks, ({ steps }) => {
        for (const { before, after } of steps) {
          const ask = after.actions.find((action) => action.type === 'ask-model');
          if (ask === undefined) continue;
          expect(findConversationFaults(ask.conversation)).toEqual([]);
          // The call that continues after a pause is the one that ran when the pause began.
          if (before.turn.status !== 'paused') expect(getAgenda(after.session.turn).steering).toBeUndefined();
        }
      }),
      propertyOptions,
    );
  });

  it('while waiting for the user steering is an ordinary message', () => {
    let looks = 0;
    fc.assert(
      fc.property(talkativeWalks, ({ steps }) => {
        for (const { before } of steps) {
          if (before.turn.status !== 'waitingForUser') continue;
          const repeatedText = { at: before.turn.since + 5, text: 'like any other' };
          const steered = step(before, { type: 'steered', ...repeatedText });
          const message = step(before, { type: 'user-message', ...repeatedText });
          expect(steered.session).toStrictEqual(message.session);
          expect(steered.actions).toStrictEqual<readonly Action[]>(message.actions);
          expect(steered.notes.map(normalizeCause)).toStrictEqual(message.notes.map(normalizeCause));
          looks += 1;
        }
      }),
      propertyOptions,
    );
    expect(looks).toBeGreaterThan(propertyOptions.numRuns);
  });
});

function normalizeCause(note: Note): Note {
  return note.type === 'transition' ? { ...note, cause: 'user-message' } : note;
}
