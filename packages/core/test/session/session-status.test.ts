import { describe, expect, it } from 'vitest';
import { toItemArray, getConversation, isTerminalSession, getStepOutcome } from '../../src/index.ts';
import { builtInProfiles } from '../../src/profiles-entry.ts';
import { cancelRequested, pauseRequested, modelReplied, userMessage } from '../helpers/event-builders.ts';
import { endedStateNames, createSampleRun, sampleNames } from '../helpers/sample-runs.ts';
import { createProfileSession, runEvents } from '../helpers/run-events.ts';

describe('isTerminalSession', () => {
  it('is true for the states that only a shutdown leaves, and for no others [RX-04]', () => {
    const terminal = sampleNames.filter((name) =>
      isTerminalSession(createSampleRun(createProfileSession('pawl'), name).session),
    );
    expect(terminal).toEqual(endedStateNames);
  });

  it('is true for every state a profile declares terminal [RX-04]', () => {
    for (const { name, terminal } of builtInProfiles) {
      for (const status of terminal) {
        expect([
          name,
          status,
          isTerminalSession(createSampleRun(createProfileSession(name), status).session),
        ]).toEqual([name, status, true]);
      }
    }
  });
});

describe('getConversation', () => {
  it('returns that of the held state while paused', () => {
    const calling = runEvents(createProfileSession('pawl'), userMessage());
    expect(getConversation(runEvents(calling, pauseRequested()).session)).toBe(
      getConversation(calling.session),
    );
  });

  it('returns the last one after the end [RO-09]', () => {
    for (const name of endedStateNames) {
      const messages = toItemArray(
        getConversation(createSampleRun(createProfileSession('pawl'), name).session),
      );
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    }
  });
});

describe('getStepOutcome', () => {
  const calling = runEvents(createProfileSession('loom'), userMessage());

  it('returns the state that an accepted event led to [RX-03]', () => {
    expect(getStepOutcome(runEvents(calling, modelReplied()))).toEqual({ ok: true, state: 'waitingForUser' });
  });

  it.each([
    ['ignore', 'callingModel'],
    ['refuse', 'callingModel'],
    ['reset', 'waitingForUser'],
  ] as const)(
    'returns an error of the same shape when the profile says %s [RX-03]',
    (onInvalidEvent, state) => {
      const run = runEvents(
        createProfileSession('pawl', { settings: { onInvalidEvent } }),
        userMessage(),
        userMessage('again'),
      );
      expect(getStepOutcome(run)).toEqual({ ok: false, state, error: 'the model is being asked' });
    },
  );

  it('returns an error for an event that is invalid while waiting', () => {
    expect(getStepOutcome(runEvents(createProfileSession('pawl'), cancelRequested()))).toEqual({
      ok: false,
      state: 'waitingForUser',
      error: 'nothing is under way',
    });
  });
});
