import { describe, expect, it } from 'vitest';
import {
  toItemArray,
  getConversation,
  acceptsUserMessage,
  isTerminalSession,
  getStepOutcome,
  type Session,
} from '../../src/index.ts';
import { builtInProfiles } from '../../src/profiles-entry.ts';
import {
  cancelRequested,
  createCall,
  pauseRequested,
  modelReplied,
  toolFinished,
  userMessage,
} from '../helpers/event-builders.ts';
import { endedStateNames, createSampleRun, sampleNames } from '../helpers/sample-runs.ts';
import { createProfileSession, runEvents } from '../helpers/run-events.ts';

describe('isTerminalSession', () => {
  it('is true for the states in which no work is left, and for no others [RX-04]', () => {
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
          isTerminalSession(
            createSampleRun(createProfileSession(name), status === 'halted' ? 'halted, on request' : status)
              .session,
          ),
        ]).toEqual([name, status, true]);
      }
    }
  });
});

const listAccepting = (session: Session): readonly string[] =>
  sampleNames.filter((name) => acceptsUserMessage(createSampleRun(session, name).session));

describe('acceptsUserMessage', () => {
  it('is true while the session waits and after a stop that nobody requested, if the settings allow it', () => {
    expect(listAccepting(createProfileSession('pawl'))).toEqual([
      'waitingForUser',
      'halted, by the governor',
    ]);
    const isFinal = createProfileSession('pawl', { settings: { continueAfterStop: false } });
    expect(listAccepting(isFinal)).toEqual(['waitingForUser']);
    expect(listAccepting(createProfileSession('nexora'))).toEqual(['waitingForUser']);
  });

  it('is false after a stop in a session of an older release', () => {
    const run = createSampleRun(createProfileSession('pawl'), 'halted, by the governor');
    const { session } = run;
    const { continueAfterStop: _, ...settings } = session.settings;
    const older = { ...session, settings };
    expect(acceptsUserMessage(older)).toBe(false);
    const after = runEvents({ ...run, session: older }, userMessage());
    expect(after.session).toBe(older);
  });
});

describe('a message after a stop', () => {
  const settings = { budgets: { modelCalls: 2, toolCalls: null, tokens: null, cost: null, wallMs: null } };

  it('starts a turn with the same conversation, and a governor that has forgotten the loop', () => {
    const stopped = createSampleRun(createProfileSession('pawl'), 'halted, by the governor');
    const { session, actions } = runEvents(stopped, userMessage('continue'));
    expect(session.turn.status).toBe('callingModel');
    expect(actions.map(({ type }) => type)).toEqual(['ask-model']);
    expect(session.governor).toEqual(createProfileSession('pawl').governor);
    const texts = toItemArray(getConversation(session)).map((message) => 'text' in message && message.text);
    expect(texts).toEqual(['first', 'first answer', 'hello', 'continue']);
  });

  it('grants an exhausted budget again', () => {
    const spent = runEvents(
      createProfileSession('pawl', { settings }),
      userMessage(),
      modelReplied('', createCall('a')),
      toolFinished('a'),
      modelReplied('the last answer'),
    );
    expect(spent.session.turn).toMatchObject({ status: 'halted', haltReason: { kind: 'budget' } });
    const { session } = runEvents(spent, userMessage('go on'));
    expect(session.turn.status).toBe('callingModel');
    expect(session.budgetUsage.modelCalls).toBe(0);
  });

  it('is ignored if no person wrote it', () => {
    const stopped = createSampleRun(createProfileSession('pawl'), 'halted, by the governor');
    const after = runEvents(stopped, { type: 'user-message', text: 'continue', automatic: true });
    expect(after.session).toBe(stopped.session);
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
