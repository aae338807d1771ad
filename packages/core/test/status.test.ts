import { describe, expect, it } from 'vitest';
import { conversationOf, isTerminal, profiles, taken, toArray } from '../src/index.ts';
import { cancels, pauses, replies, says } from './helpers/happenings.ts';
import { endedNames, sample, sampleNames } from './helpers/samples.ts';
import { sessionOf, tell } from './helpers/tell.ts';

describe('isTerminal', () => {
  it('holds for the states that nothing but a shutdown leads out of, and no others [RX-04]', () => {
    const terminal = sampleNames.filter((name) => isTerminal(sample(sessionOf('pawl'), name).session));
    expect(terminal).toEqual(endedNames);
  });

  it('holds for every state a profile calls terminal [RX-04]', () => {
    for (const { name, terminal } of profiles) {
      for (const status of terminal) {
        expect([name, status, isTerminal(sample(sessionOf(name), status).session)]).toEqual([
          name,
          status,
          true,
        ]);
      }
    }
  });
});

describe('conversationOf', () => {
  it('is that of the state held while paused', () => {
    const asked = tell(sessionOf('pawl'), says());
    expect(conversationOf(tell(asked, pauses()).session)).toBe(conversationOf(asked.session));
  });

  it('is the last one after the end [RO-09]', () => {
    for (const name of endedNames) {
      const messages = toArray(conversationOf(sample(sessionOf('pawl'), name).session));
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    }
  });
});

describe('taken', () => {
  const asked = tell(sessionOf('loom'), says());

  it('is the state that an accepted event led to [RX-03]', () => {
    expect(taken(tell(asked, replies()))).toEqual({ ok: true, state: 'waitingForUser' });
  });

  it.each([
    ['ignore', 'callingModel'],
    ['refuse', 'callingModel'],
    ['reset', 'waitingForUser'],
  ] as const)('is an error in one shape, whether the profile says %s [RX-03]', (onInvalidEvent, state) => {
    const told = tell(sessionOf('pawl', { settings: { onInvalidEvent } }), says(), says('again'));
    expect(taken(told)).toEqual({ ok: false, state, error: 'the model is being asked' });
  });

  it('is an error for what means nothing while waiting', () => {
    expect(taken(tell(sessionOf('pawl'), cancels()))).toEqual({
      ok: false,
      state: 'waitingForUser',
      error: 'nothing is under way',
    });
  });
});
