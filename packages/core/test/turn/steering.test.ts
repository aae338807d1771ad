import { describe, expect, it } from 'vitest';
import {
  toItemArray,
  getConversation,
  type ConversationMessage,
  type Session,
  type SessionSettings,
} from '../../src/index.ts';
import { getAgenda } from '../../src/turn/agenda.ts';
import {
  finishRequested,
  pagingRequested,
  createCall,
  cancelRequested,
  permissionDenied,
  phaseCompleted,
  modelFailed,
  toolFinished,
  haltRequested,
  hooksFinished,
  verdictReached,
  contextOverflowed,
  pagingFinished,
  pagingFailed,
  pauseRequested,
  recoveryFinished,
  modelReplied,
  resumeRequested,
  retryDue,
  userMessage,
  shutdownRequested,
  toolStarted,
  phaseStarted,
  userSteered,
  successOutcome,
} from '../helpers/event-builders.ts';
import { findConversationFaults } from '../helpers/conversation-faults.ts';
import { pausableStateNames, getCurrentRequest, createSampleRun } from '../helpers/sample-runs.ts';
import {
  requireAction,
  listActionTypes,
  listStatusPath,
  getRefusalReason,
  createProfileSession,
  runEvents,
  requireTurn,
  type UntimedEvent,
} from '../helpers/run-events.ts';

const createPawlSession = (settings: Partial<SessionSettings> = {}): Session =>
  createProfileSession('pawl', { settings });
const callingRun = runEvents(createPawlSession(), userMessage('first'));
const busyStateNames = pausableStateNames.filter((name) => name !== 'waitingForUser');

/** A conversation in short: who said what, and which calls got a result. */
function summarizeConversation({ session }: { readonly session: Session }): readonly string[] {
  return toItemArray(getConversation(session)).map(summarizeMessage);
}

function summarizeMessage(message: ConversationMessage): string {
  switch (message.role) {
    case 'user':
      return `user: ${message.text}`;
    case 'assistant':
      return message.calls.length === 0 ? `model: ${message.text}` : `model: calls ${message.calls.length}`;
    case 'tool':
      return `tool: ${message.callId}`;
  }
}

describe.each(busyStateNames)('steering in %s', (name) => {
  const before = createSampleRun(createPawlSession(), name);
  const after = runEvents(before, userSteered('one'), userSteered('two'));

  it('is queued in order, and the work in progress continues', () => {
    expect(getRefusalReason(after)).toBeUndefined();
    expect(after.actions).toEqual([{ type: 'wait', until: null }]);
    expect(getAgenda(after.session.turn).steering).toEqual(['one', 'two']);
    expect(getCurrentRequest(after)).toBe(getCurrentRequest(before));
    expect(after.session.seq).toBe(before.session.seq + 2);
    expect(summarizeConversation(after)).toEqual(summarizeConversation(before));
  });

  it('changes nothing else of the state', () => {
    const without = JSON.stringify(after.session.turn).replaceAll(',"steering":["one","two"]', '');
    expect(JSON.parse(without)).toEqual(before.session.turn);
  });

  it('is queued the same way during a pause', () => {
    const paused = runEvents(before, pauseRequested(), userSteered('one'), resumeRequested());
    expect(getAgenda(paused.session.turn).steering).toEqual(['one']);
  });

  it.each([
    ['cancel', cancelRequested(), 'waitingForUser'],
    ['halt', haltRequested(), 'halted'],
    ['shutdown', shutdownRequested(), 'shuttingDown'],
    ['verdict to halt', verdictReached('halt'), 'halted'],
  ] as const)('stays in the conversation after a %s, and the model is not called', (_, end, status) => {
    for (const ended of [runEvents(after, end), runEvents(after, pauseRequested(), end)]) {
      expect(ended.session.turn.status).toBe(status);
      expect(summarizeConversation(ended).slice(-2)).toEqual(['user: one', 'user: two']);
      expect(listActionTypes(ended)).not.toContain('ask-model');
      expect(findConversationFaults(getConversation(ended.session))).toEqual([]);
    }
  });
});

describe('the model receives steering', () => {
  const oneCall = runEvents(callingRun, modelReplied('', createCall('a')));

  it('after the results of the calls in progress', () => {
    const after = runEvents(
      oneCall,
      toolStarted('a'),
      userSteered('one'),
      userSteered('two'),
      toolFinished('a'),
    );
    expect(listStatusPath(after)).toEqual(['executingTools', 'progressCheck', 'callingModel']);
    expect(summarizeConversation(after)).toEqual([
      'user: first',
      'model: calls 1',
      'tool: a',
      'user: one',
      'user: two',
    ]);
    expect(requireAction(after, 'ask-model').conversation).toBe(getConversation(after.session));
    expect(getAgenda(after.session.turn)).toEqual({
      phaseChanges: 0,
      failedPhase: null,
      verdict: null,
      finish: null,
    });
  });

  it('once: a message delivered with one call is not repeated before the next', () => {
    const after = runEvents(
      oneCall,
      userSteered('one'),
      toolFinished('a'),
      modelReplied('', createCall('b')),
      toolFinished('b'),
    );
    expect(summarizeConversation(after).filter((line) => line === 'user: one')).toHaveLength(1);
  });

  it('also if the profile does not check every round', () => {
    const after = runEvents(
      createPawlSession({ progressCheck: false }),
      userMessage('first'),
      modelReplied('', createCall('a')),
      userSteered('one'),
      toolFinished('a'),
    );
    expect(listStatusPath(after)).toEqual(['executingTools', 'progressCheck', 'callingModel']);
    expect(summarizeConversation(after).at(-1)).toBe('user: one');
  });

  it('instead of waiting for the user when its reply would have ended the turn', () => {
    const after = runEvents(callingRun, userSteered('one'), modelReplied('done'));
    expect(listStatusPath(after)).toEqual([
      'callingModel',
      'processingResponse',
      'progressCheck',
      'callingModel',
    ]);
    expect(listActionTypes(after)).toEqual(['ask-model']);
    expect(summarizeConversation(after)).toEqual(['user: first', 'model: done', 'user: one']);
    expect(runEvents(after, modelReplied('done too')).session.turn.status).toBe('waitingForUser');
  });

  it('instead of waiting for the user when a tool says that all is done', () => {
    const after = runEvents(oneCall, userSteered('one'), toolFinished('a', successOutcome('all', true)));
    expect(listActionTypes(after)).toEqual(['ask-model']);
    expect(summarizeConversation(after).slice(-2)).toEqual(['tool: a', 'user: one']);
  });

  it.each<[string, readonly UntimedEvent[], readonly UntimedEvent[]]>([
    ['hooks', [modelReplied('', createCall('a', 'bash')), toolFinished('a')], [hooksFinished()]],
    ['a retry', [modelFailed()], [retryDue()]],
    ['room was made', [contextOverflowed()], [pagingFinished()]],
    [
      'a recovery',
      [modelReplied('', createCall('a')), verdictReached('recover'), toolFinished('a')],
      [recoveryFinished()],
    ],
    [
      'a recovery that found no way out',
      [modelReplied('', createCall('a')), verdictReached('recover'), toolFinished('a')],
      [recoveryFinished({ kind: 'give-up', reason: 'no way out' })],
    ],
    [
      'a recovery with nothing that may run',
      [modelReplied('', createCall('a')), verdictReached('recover'), toolFinished('a')],
      [recoveryFinished({ kind: 'run-tools', calls: [createCall('r', 'bash', 'ask')] })],
    ],
    ['every call was denied', [modelReplied('', createCall('a', 'bash', 'ask'))], [permissionDenied('a')]],
    ['the model failed permanently', [], [modelFailed({ retryable: false })]],
    ['an unreadable reply', [], [{ type: 'model-replied', text: '?', calls: [], problem: 'no JSON' }]],
  ])('after %s', (_, before, answer) => {
    const after = runEvents(callingRun, ...before, userSteered('one'), ...answer);
    expect(after.session.turn.status).toBe('callingModel');
    expect(listActionTypes(after)).toContain('ask-model');
    expect(summarizeConversation(after).at(-1)).toBe('user: one');
    expect(findConversationFaults(getConversation(after.session))).toEqual([]);
    expect(getAgenda(after.session.turn).steering).toBeUndefined();
  });

  it('after paging that was not requested by a model call', () => {
    const after = runEvents(createPawlSession(), pagingRequested(), userSteered('one'), pagingFinished());
    expect(listActionTypes(after)).toEqual(['ask-model']);
    expect(summarizeConversation(after)).toEqual(['user: one']);
  });

  it('after paging failed, with the error shown', () => {
    const after = runEvents(
      createPawlSession({ maxRetries: 1 }),
      pagingRequested(),
      userSteered('one'),
      pagingFailed(),
    );
    expect(listActionTypes(after)).toEqual(['show-error', 'ask-model']);
  });

  it('with its last call, when it is requested to finish', () => {
    const after = runEvents(oneCall, finishRequested('time is up'), userSteered('one'), toolFinished('a'));
    expect(requireAction(after, 'ask-model')).toMatchObject({ tools: false, advice: 'time is up' });
    expect(summarizeConversation(after).at(-1)).toBe('user: one');
  });

  it('after its last answer, with tools again, if it arrived during that call', () => {
    const last = runEvents(oneCall, finishRequested(), toolFinished('a'));
    const after = runEvents(last, userSteered('one'), modelReplied('the end'));
    expect(requireAction(after, 'ask-model').tools).toBe(true);
    expect(summarizeConversation(after).slice(-2)).toEqual(['model: the end', 'user: one']);
  });

  it('together with a phase change, which is processed first', () => {
    const after = runEvents(oneCall, userSteered('one'), phaseStarted(2), toolFinished('a'));
    expect(listStatusPath(after)).toEqual([
      'executingTools',
      'progressCheck',
      'phaseTransition',
      'progressCheck',
      'callingModel',
    ]);
    expect(summarizeConversation(after).at(-1)).toBe('user: one');
  });

  it.each(['advise', 'block', 'run', 'recover', 'ask'] as const)(
    'instead of the response to a verdict to %s, of which only the advice remains',
    (response) => {
      const after = runEvents(oneCall, verdictReached(response), userSteered('one'), toolFinished('a'));
      expect(requireAction(after, 'ask-model').advice).toBe(`advice ${response}`);
      expect(after.session.turn.status).toBe('callingModel');
      expect(summarizeConversation(after).at(-1)).toBe('user: one');
    },
  );

  it('at once when no work is in progress, with a new request', () => {
    const after = runEvents(runEvents(callingRun, modelReplied('done')), userSteered('one'));
    expect(listStatusPath(after)).toEqual(['waitingForUser', 'callingModel']);
    expect(summarizeConversation(after).at(-1)).toBe('user: one');
    expect(requireTurn(after, 'callingModel').request).toBe(after.session.seq);
  });
});

describe('a session that ends by itself', () => {
  it('keeps steering that arrived during its last call in its conversation', () => {
    const last = runEvents(callingRun, verdictReached('stop'), modelReplied('', createCall('a')));
    const after = runEvents(last, userSteered('one'), modelReplied('the end'));
    expect(after.session.turn).toMatchObject({ status: 'halted', haltReason: { kind: 'stuck' } });
    expect(summarizeConversation(after).slice(-2)).toEqual(['model: the end', 'user: one']);
  });

  it('keeps it when the last call fails', () => {
    const last = runEvents(callingRun, verdictReached('stop'), modelReplied('', createCall('a')));
    const after = runEvents(last, userSteered('one'), modelFailed({ retryable: false }));
    expect(after.session.turn.status).toBe('halted');
    expect(summarizeConversation(after).at(-1)).toBe('user: one');
  });

  it('keeps it when a failed phase ends the work', () => {
    const start = createProfileSession('nexora', { settings: { haltOnFailedPhase: true } });
    const working = runEvents(
      start,
      phaseStarted(1, 'begin'),
      modelReplied('', createCall('a')),
      userSteered('one'),
    );
    for (const after of [
      runEvents(working, phaseCompleted(false), toolFinished('a')),
      runEvents(working, phaseCompleted(false), cancelRequested()),
    ]) {
      expect(after.session.turn).toMatchObject({ status: 'halted', haltReason: { kind: 'phase-failed' } });
      expect(summarizeConversation(after).slice(-2)).toEqual(['tool: a', 'user: one']);
    }
  });

  it('accepts no further steering', () => {
    const after = runEvents(callingRun, haltRequested(), userSteered('one'));
    expect(getRefusalReason(after)).toBe('the session has ended');
    expect(summarizeConversation(after)).toEqual(['user: first']);
  });
});

describe('a message to a busy session', () => {
  it('is still refused, and cancels the work if the profile says so, keeping pending steering', () => {
    const after = runEvents(
      createPawlSession({ onInvalidEvent: 'reset' }),
      userMessage('first'),
      userSteered('one'),
      userMessage('two'),
    );
    expect(after.session.turn.status).toBe('waitingForUser');
    expect(summarizeConversation(after)).toEqual(['user: first', 'user: one']);
  });
});
