import { describe, expect, it } from 'vitest';
import {
  getConversation,
  isTerminalSession,
  builtInProfiles,
  getStepOutcome,
  toItemArray,
} from '../src/index.ts';
import { cancelRequested, pauseRequested, modelReplied, userMessage } from './helpers/event-builders.ts';
import { endedStateNames, createSampleRun, sampleNames } from './helpers/sample-runs.ts';
import { createProfileSession, runEvents } from './helpers/run-events.ts';

describe('isTerminal', () => {
  it('holds for the states that nothing but a shutdown leads out of, and no others [RX-04]', () => {
    const terminal = sampleNames.filter((name) =>
      isTerminalSession(createSampleRun(createProfileSession('pawl'), name).session),
    );
    expect(terminal).toEqual(endedStateNames);
  });

  it('holds for every state a profile calls terminal [RX-04]', () => {
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

describe('conversationOf', () => {
  it('is that of the state held while paused', () => {
    const asked = runEvents(createProfileSession('pawl'), userMessage());
    expect(getConversation(runEvents(asked, pauseRequested()).session)).toBe(getConversation(asked.session));
  });

  it('is the last one after the end [RO-09]', () => {
    for (const name of endedStateNames) {
      const messages = toItemArray(
        getConversation(createSampleRun(createProfileSession('pawl'), name).session),
      );
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    }
  });
});

describe('taken', () => {
  const asked = runEvents(createProfileSession('loom'), userMessage());

  it('is the state that an accepted event led to [RX-03]', () => {
    expect(getStepOutcome(runEvents(asked, modelReplied()))).toEqual({ ok: true, state: 'waitingForUser' });
  });

  it.each([
    ['ignore', 'callingModel'],
    ['refuse', 'callingModel'],
    ['reset', 'waitingForUser'],
  ] as const)('is an error in one shape, whether the profile says %s [RX-03]', (onInvalidEvent, state) => {
    const told = runEvents(
      createProfileSession('pawl', { settings: { onInvalidEvent } }),
      userMessage(),
      userMessage('again'),
    );
    expect(getStepOutcome(told)).toEqual({ ok: false, state, error: 'the model is being asked' });
  });

  it('is an error for what means nothing while waiting', () => {
    expect(getStepOutcome(runEvents(createProfileSession('pawl'), cancelRequested()))).toEqual({
      ok: false,
      state: 'waitingForUser',
      error: 'nothing is under way',
    });
  });
});
