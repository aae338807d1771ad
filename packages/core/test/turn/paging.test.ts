import { describe, expect, it } from 'vitest';
import { conversationOf, type Settings } from '../../src/index.ts';
import {
  asksToPage,
  call,
  fails,
  finishes,
  judged,
  overflows,
  paged,
  pagingFails,
  replies,
  retryIsDue,
  says,
} from '../helpers/happenings.ts';
import { actionOf, actionTypes, path, sessionOf, tell, turnIn } from '../helpers/tell.ts';

const asked = (settings: Partial<Settings> = {}) => tell(sessionOf('pawl', { settings }), says());

describe('a model that finds no room', () => {
  it('makes memory page, and is asked again with the same conversation when there is room', () => {
    const before = asked();
    const paging = tell(before, overflows());
    expect(path(paging)).toEqual(['callingModel', 'paging']);
    expect(paging.actions).toEqual([{ type: 'page-memory', request: 1, reason: 'no room' }]);
    const told = tell(paging, paged());
    expect(path(told)).toEqual(['paging', 'callingModel']);
    expect(actionOf(told, 'ask-model')).toMatchObject({
      request: 3,
      attempt: 2,
      conversation: conversationOf(before.session),
    });
  });

  it('is asked again as it was asked: with the same advice', () => {
    const advised = tell(asked(), replies('', call('a')), judged('advise'), finishes('a'));
    expect(actionOf(tell(advised, overflows(), paged()), 'ask-model').advice).toBe('advice advise');
  });

  it('counts as a failure each time, so that paging in vain comes to an end', () => {
    const told = tell(asked({ maxRetries: 3 }), overflows(), paged(), overflows(), paged(), overflows());
    expect(path(told)).toEqual(['callingModel', 'waitingForUser']);
    expect(told.actions).toEqual([{ type: 'show-error', kind: 'context-overflow', message: 'no room' }]);
  });

  it('counts together with other failures', () => {
    const told = tell(asked({ maxRetries: 3 }), fails(), retryIsDue(), overflows(), paged(), fails());
    expect(told.session.turn.status).toBe('waitingForUser');
  });

  it('is only tried again where the profile does not page', () => {
    const told = tell(asked({ pageOnOverflow: false }), overflows());
    expect(turnIn(told, 'errorRecovery')).toMatchObject({ origin: 'model', retries: 1 });
  });
});

describe('paging that fails', () => {
  it('is tried again, then the user is told and has the word', () => {
    const paging = tell(asked({ maxRetries: 2 }), overflows());
    const waiting = tell(paging, pagingFails());
    expect(turnIn(waiting, 'errorRecovery')).toMatchObject({ origin: 'io', retries: 1, message: 'no disk' });
    expect(waiting.actions).toEqual([{ type: 'wait', until: waiting.at + 1_000 }]);
    const again = tell(waiting, retryIsDue());
    expect(again.actions).toEqual([{ type: 'page-memory', request: 4, reason: 'no room' }]);
    const told = tell(again, pagingFails('still no disk'));
    expect(path(told)).toEqual(['paging', 'waitingForUser']);
    expect(told.actions).toEqual([{ type: 'show-error', kind: 'io', message: 'still no disk' }]);
  });

  it('keeps the failures of the model apart from its own', () => {
    const told = tell(asked({ maxRetries: 3 }), overflows(), pagingFails(), retryIsDue(), paged());
    expect(turnIn(told, 'callingModel').retries).toBe(1);
  });
});

describe('paging that the user asks for', () => {
  it('ends where it began', () => {
    const paging = tell(sessionOf('pawl'), asksToPage('tidy up'));
    expect(paging.actions).toEqual([{ type: 'page-memory', request: 1, reason: 'tidy up' }]);
    const told = tell(paging, paged());
    expect(path(told)).toEqual(['paging', 'waitingForUser']);
    expect(actionTypes(told)).toEqual(['wait']);
  });

  it('that fails for good is told, and the user has the word', () => {
    const paging = tell(sessionOf('pawl', { settings: { maxRetries: 1 } }), asksToPage());
    expect(actionTypes(tell(paging, pagingFails()))).toEqual(['show-error']);
    expect(tell(paging, pagingFails()).session.turn.status).toBe('waitingForUser');
  });
});
