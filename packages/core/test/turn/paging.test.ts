import { describe, expect, it } from 'vitest';
import { getConversation, type SessionSettings } from '../../src/index.ts';
import {
  pagingRequested,
  createCall,
  modelFailed,
  toolFinished,
  verdictReached,
  contextOverflowed,
  pagingFinished,
  pagingFailed,
  modelReplied,
  retryDue,
  userMessage,
} from '../helpers/event-builders.ts';
import {
  requireAction,
  listActionTypes,
  listStatusPath,
  createProfileSession,
  runEvents,
  requireTurn,
} from '../helpers/run-events.ts';

const createAskedRun = (settings: Partial<SessionSettings> = {}) =>
  runEvents(createProfileSession('pawl', { settings }), userMessage());

describe('a context overflow', () => {
  it('starts paging, and then repeats the call with the same conversation', () => {
    const before = createAskedRun();
    const paging = runEvents(before, contextOverflowed());
    expect(listStatusPath(paging)).toEqual(['callingModel', 'paging']);
    expect(paging.actions).toEqual([{ type: 'page-memory', request: 1, reason: 'no room' }]);
    const run = runEvents(paging, pagingFinished());
    expect(listStatusPath(run)).toEqual(['paging', 'callingModel']);
    expect(requireAction(run, 'ask-model')).toMatchObject({
      request: 3,
      attempt: 2,
      conversation: getConversation(before.session),
    });
  });

  it('repeats the call with the same advice', () => {
    const advised = runEvents(
      createAskedRun(),
      modelReplied('', createCall('a')),
      verdictReached('advise'),
      toolFinished('a'),
    );
    expect(requireAction(runEvents(advised, contextOverflowed(), pagingFinished()), 'ask-model').advice).toBe(
      'advice advise',
    );
  });

  it('counts as a failure each time, so that futile paging ends', () => {
    const run = runEvents(
      createAskedRun({ maxRetries: 3 }),
      contextOverflowed(),
      pagingFinished(),
      contextOverflowed(),
      pagingFinished(),
      contextOverflowed(),
    );
    expect(listStatusPath(run)).toEqual(['callingModel', 'waitingForUser']);
    expect(run.actions).toEqual([{ type: 'show-error', kind: 'context-overflow', message: 'no room' }]);
  });

  it('counts together with other failures', () => {
    const run = runEvents(
      createAskedRun({ maxRetries: 3 }),
      modelFailed(),
      retryDue(),
      contextOverflowed(),
      pagingFinished(),
      modelFailed(),
    );
    expect(run.session.turn.status).toBe('waitingForUser');
  });

  it('is only retried if the profile does not page', () => {
    const run = runEvents(createAskedRun({ pageOnOverflow: false }), contextOverflowed());
    expect(requireTurn(run, 'errorRecovery')).toMatchObject({ origin: 'model', retries: 1 });
  });
});

describe('paging that fails', () => {
  it('is retried, then the error is shown and the session waits for the user', () => {
    const paging = runEvents(createAskedRun({ maxRetries: 2 }), contextOverflowed());
    const waiting = runEvents(paging, pagingFailed());
    expect(requireTurn(waiting, 'errorRecovery')).toMatchObject({
      origin: 'io',
      retries: 1,
      message: 'no disk',
    });
    expect(waiting.actions).toEqual([{ type: 'wait', until: waiting.at + 1_000 }]);
    const repeated = runEvents(waiting, retryDue());
    expect(repeated.actions).toEqual([{ type: 'page-memory', request: 4, reason: 'no room' }]);
    const run = runEvents(repeated, pagingFailed('still no disk'));
    expect(listStatusPath(run)).toEqual(['paging', 'waitingForUser']);
    expect(run.actions).toEqual([{ type: 'show-error', kind: 'io', message: 'still no disk' }]);
  });

  it('counts model failures separately from its own', () => {
    const run = runEvents(
      createAskedRun({ maxRetries: 3 }),
      contextOverflowed(),
      pagingFailed(),
      retryDue(),
      pagingFinished(),
    );
    expect(requireTurn(run, 'callingModel').retries).toBe(1);
  });
});

describe('paging requested by the user', () => {
  it('returns to the state it started in', () => {
    const paging = runEvents(createProfileSession('pawl'), pagingRequested('tidy up'));
    expect(paging.actions).toEqual([{ type: 'page-memory', request: 1, reason: 'tidy up' }]);
    const run = runEvents(paging, pagingFinished());
    expect(listStatusPath(run)).toEqual(['paging', 'waitingForUser']);
    expect(listActionTypes(run)).toEqual(['wait']);
  });

  it('that fails permanently shows the error and waits for the user', () => {
    const paging = runEvents(
      createProfileSession('pawl', { settings: { maxRetries: 1 } }),
      pagingRequested(),
    );
    expect(listActionTypes(runEvents(paging, pagingFailed()))).toEqual(['show-error']);
    expect(runEvents(paging, pagingFailed()).session.turn.status).toBe('waitingForUser');
  });
});
