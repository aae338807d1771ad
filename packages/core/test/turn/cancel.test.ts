import { describe, expect, it } from 'vitest';
import { conversationOf, toArray, type Session } from '../../src/index.ts';
import {
  allows,
  answering,
  call,
  cancels,
  denies,
  finishes,
  halts,
  judged,
  pauses,
  replies,
  says,
  shutsDown,
  starts,
  worked,
} from '../helpers/happenings.ts';
import { faultsIn } from '../helpers/history.ts';
import { heldNames, requestOf, sample } from '../helpers/samples.ts';
import { actionTypes, sessionOf, tell, turnIn } from '../helpers/tell.ts';

const asked = tell(sessionOf('pawl'), says());

/** What the model will be told of each call. */
function results(session: Session): readonly string[] {
  return toArray(conversationOf(session))
    .filter((message) => message.role === 'tool')
    .map(({ callId, outcome }) => `${callId} ${outcome.ok ? 'ok' : outcome.error.kind}`);
}

const ends = [
  ['cancel', cancels(), 'waitingForUser'],
  ['halt', halts(), 'halted'],
  ['shutdown', shutsDown(), 'shuttingDown'],
  ['verdict to halt', judged('halt'), 'halted'],
] as const;

describe.each(ends)('a %s', (_, end, status) => {
  it('in the middle of tools keeps what is done and gives each open call its result', () => {
    const busy = tell(asked, replies('', call('a'), call('b'), call('c'), call('d', 'bash', 'deny')));
    const told = tell(busy, starts('b'), finishes('a', worked()), end);
    expect(told.session.turn.status).toBe(status);
    expect(results(told.session)).toEqual(['a ok', 'b interrupted', 'c cancelled', 'd denied']);
    expect(faultsIn(conversationOf(told.session))).toEqual([]);
  });

  it('in the middle of permissions gives each call its result, and nothing is said to have run', () => {
    const calls = [call('a', 'bash', 'ask'), call('b', 'bash', 'ask'), call('c', 'bash', 'ask'), call('d')];
    const told = tell(asked, replies('', ...calls), allows('a'), denies('b'), end);
    expect(told.session.turn.status).toBe(status);
    expect(results(told.session)).toEqual(['a cancelled', 'b denied', 'c cancelled', 'd cancelled']);
    expect(faultsIn(conversationOf(told.session))).toEqual([]);
  });

  it('during a pause in the middle of tools does the same', () => {
    const paused = tell(asked, replies('', call('a'), call('b')), starts('a'), pauses());
    expect(results(tell(paused, end).session)).toEqual(['a interrupted', 'b cancelled']);
  });

  it.each(heldNames)('in %s leaves a conversation that is fit to be sent', (name) => {
    const told = tell(sample(sessionOf('pawl'), name), end);
    expect(faultsIn(conversationOf(told.session))).toEqual([]);
  });
});

describe('a cancel', () => {
  it('calls off exactly the request under way', () => {
    const busy = tell(asked, replies('', call('a')));
    expect(tell(busy, cancels()).actions).toEqual([
      { type: 'abort', request: requestOf(busy) },
      { type: 'wait', until: null },
    ]);
  });

  it('lets the user go on at once, with a request of another number', () => {
    const told = tell(asked, cancels(), says('something else'));
    expect(actionTypes(told)).toEqual(['ask-model']);
    expect(requestOf(told)).not.toBe(requestOf(asked));
  });

  it('makes the answers of what was called off late, and they change nothing', () => {
    const request = requestOf(asked);
    const next = tell(asked, cancels(), says('something else'));
    const told = tell(next, answering(request, replies('too late')));
    expect(told.session).toBe(next.session);
    expect(turnIn(told, 'callingModel').request).not.toBe(request);
  });
});
