import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationOf, toArray } from '../../src/index.ts';
import { withIds } from '../../src/turn/calls.ts';
import { call, finishes, judged, replies, says, worked } from '../helpers/happenings.ts';
import { faultsIn } from '../helpers/history.ts';
import { sessionOf, tell } from '../helpers/tell.ts';

const idsOf = (given: readonly string[], request = 5): readonly string[] =>
  withIds(
    given.map((id) => call(id)),
    request,
  ).map(({ id }) => id);

describe('the ids of the calls of a reply', () => {
  it('are the model’s own when they are good', () => {
    expect(idsOf(['a', 'b', '__proto__', 'constructor'])).toEqual(['a', 'b', '__proto__', 'constructor']);
  });

  it('are made from the request when they are empty, left out or used twice', () => {
    expect(idsOf(['a', '', 'a'])).toEqual(['a', 'call_5_1', 'call_5_2']);
    expect(withIds([{ tool: 'read', args: null }], 7)).toEqual([
      { id: 'call_7_0', tool: 'read', args: null },
    ]);
  });

  it('are never the same, even when a model uses ids like those that are made', () => {
    const likely = fc.constantFrom('', 'a', 'call_5_0', 'call_5_1', 'call_5_2', 'call_5_1_', 'call_5_2_');
    fc.assert(
      fc.property(fc.array(likely, { maxLength: 12 }), (given) => {
        const ids = idsOf(given);
        expect(new Set(ids).size).toBe(given.length);
        expect(ids).not.toContain('');
      }),
    );
  });

  it('let each of two calls with the same id have its own result', () => {
    const told = tell(sessionOf('pawl'), says(), replies('', call('a'), call('a')));
    const done = tell(told, finishes('call_1_1', worked('second')), finishes('a', worked('first')));
    const results = toArray(conversationOf(done.session)).filter((message) => message.role === 'tool');
    expect(results.map(({ callId, outcome }) => [callId, outcome.ok && outcome.output])).toEqual([
      ['a', 'first'],
      ['call_1_1', 'second'],
    ]);
    expect(faultsIn(conversationOf(done.session))).toEqual([]);
  });

  it('are never the same in two replies when they are made', () => {
    const unnamed = [call('', 'bash', 'ask'), call('', 'bash', 'ask')];
    const stuck = tell(
      sessionOf('pawl'),
      says(),
      replies('', call('a')),
      judged({ kind: 'run', calls: unnamed }),
    );
    const told = tell(stuck, finishes('a'), replies('', call(''), call('')));
    const messages = toArray(conversationOf(told.session)).filter((message) => message.role === 'assistant');
    const ids = messages.flatMap(({ calls }) => calls.map(({ id }) => id));
    expect(ids).toHaveLength(5);
    expect(new Set(ids).size).toBe(5);
  });

  it('may be the same in two replies when they are the model’s own', () => {
    const told = tell(
      sessionOf('pawl'),
      says(),
      replies('', call('a')),
      finishes('a'),
      replies('', call('a')),
    );
    expect(faultsIn(conversationOf(tell(told, finishes('a')).session))).toEqual([]);
  });
});

describe('a reply', () => {
  it('with neither text nor calls leaves no message, and ends the turn', () => {
    const told = tell(sessionOf('pawl'), says(), replies(''));
    expect(told.session.turn.status).toBe('waitingForUser');
    expect(toArray(conversationOf(told.session))).toHaveLength(1);
  });
});
