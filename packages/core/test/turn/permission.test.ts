import { describe, expect, it } from 'vitest';
import { conversationOf, toArray, type Call } from '../../src/index.ts';
import {
  allows,
  asksToFinish,
  broke,
  call,
  denies,
  finishes,
  replies,
  says,
  starts,
} from '../helpers/happenings.ts';
import { faultsIn } from '../helpers/history.ts';
import { actionOf, actionTypes, path, refusal, sessionOf, tell, turnIn } from '../helpers/tell.ts';

const asked = tell(sessionOf('pawl'), says());
const mixed = tell(
  asked,
  replies(
    '',
    call('a', 'read'),
    call('b', 'bash', 'ask'),
    call('c', 'edit', 'deny'),
    call('d', 'bash', 'ask'),
  ),
);
const ids = (calls: readonly Call[]): readonly string[] => calls.map(({ id }) => id);

describe('permission', () => {
  it('is asked for the calls that need it, and nothing runs meanwhile [NEX-51]', () => {
    expect(path(mixed)).toEqual(['callingModel', 'processingResponse', 'awaitingPermission']);
    expect(actionTypes(mixed)).toEqual(['ask-permission']);
    expect(ids(actionOf(mixed, 'ask-permission').calls)).toEqual(['b', 'd']);
    expect(turnIn(mixed, 'awaitingPermission').calls.map(({ decision }) => decision)).toEqual([
      'allowed',
      'pending',
      'denied',
      'pending',
    ]);
  });

  it('is waited for until every call is decided, in any order', () => {
    const one = tell(mixed, allows('d'));
    expect(one.session.turn.status).toBe('awaitingPermission');
    expect(one.actions).toEqual([{ type: 'wait', until: null }]);
    const told = tell(one, denies('b'));
    expect(path(told)).toEqual(['awaitingPermission', 'executingTools']);
    expect(ids(actionOf(told, 'run-tools').calls)).toEqual(['a', 'd']);
  });

  it('that is denied is told to the model as the result of the call, with the reason given', () => {
    const told = tell(mixed, denies('b', 'too risky'), denies('d'), finishes('a'));
    const results = toArray(actionOf(told, 'ask-model').conversation).filter(
      (message) => message.role === 'tool',
    );
    expect(results.map(({ callId }) => callId)).toEqual(['a', 'b', 'c', 'd']);
    expect(results.map(({ outcome }) => (outcome.ok ? 'ok' : outcome.error.kind))).toEqual([
      'ok',
      'denied',
      'denied',
      'denied',
    ]);
    expect(results[1]?.outcome).toMatchObject({ error: { message: expect.stringContaining('too risky') } });
  });

  it('denied to every call asks the model again, and runs nothing', () => {
    const asking = tell(asked, replies('', call('a', 'bash', 'ask'), call('b', 'bash', 'deny')));
    const told = tell(asking, denies('a'));
    expect(path(told)).toEqual(['awaitingPermission', 'processingResponse', 'progressCheck', 'callingModel']);
    expect(actionTypes(told)).toEqual(['ask-model']);
    expect(faultsIn(conversationOf(told.session))).toEqual([]);
  });

  it('denied by a rule alone asks nobody', () => {
    const told = tell(asked, replies('', call('a', 'bash', 'deny'), call('b', 'bash', 'deny')));
    expect(path(told)).toEqual(['callingModel', 'processingResponse', 'progressCheck', 'callingModel']);
    const some = tell(asked, replies('', call('a', 'bash', 'deny'), call('b', 'read', 'allow')));
    expect(ids(actionOf(some, 'run-tools').calls)).toEqual(['b']);
  });

  it('counts once: a second decision, or one on a call that needs none, is ignored', () => {
    const once = tell(mixed, allows('b'));
    for (const happening of [denies('b'), denies('a'), allows('c'), allows('nobody')]) {
      const told = tell(once, happening);
      expect(told.session).toBe(once.session);
      expect(refusal(told)).toBeDefined();
    }
  });

  it('denied counts as no change: hooks do not run for it', () => {
    const told = tell(mixed, denies('b'), denies('d'), finishes('a'));
    expect(path(told)).toEqual(['executingTools', 'progressCheck', 'callingModel']);
  });

  it('given lets the calls run, and a wish to finish is met after them', () => {
    const told = tell(
      mixed,
      asksToFinish(),
      allows('b'),
      denies('d'),
      starts('a'),
      finishes('a'),
      finishes('b', broke()),
    );
    expect(actionOf(told, 'ask-model').tools).toBe(false);
  });
});
