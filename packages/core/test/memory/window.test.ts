import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationOf, createSession, replay, step, type Event, type Session } from '../../src/index.ts';

/** Tells a session what happened, one thing after the other. */
function told(session: Session, ...events: readonly object[]): Session {
  let after = session;
  for (const [index, event] of events.entries()) {
    after = step(after, { at: index + 1, ...event } as Event).session;
  }
  return after;
}

const fresh = (windowTokens: number): Session =>
  createSession({
    id: 's',
    at: 0,
    settings: { windowTokens, compact: true, governor: { preset: 'none', rules: {} } },
  });

const call = (id: string): object => ({
  type: 'model-replied',
  text: '',
  calls: [{ id, tool: 'read', args: {} }],
});
const result = (id: string, output: string): object => ({
  type: 'tool-finished',
  callId: id,
  outcome: { ok: true, output },
});

describe('the window of a model', () => {
  it('is made room in before it is full', () => {
    const page = 'word '.repeat(200);
    const session = told(
      fresh(600),
      { type: 'user-message', text: 'go' },
      call('a'),
      result('a', page),
      call('b'),
      result('b', page),
    );
    expect(session.turn.status).toBe('callingModel');
    const full = told(session, call('c'), result('c', page));
    expect(full.turn).toMatchObject({ status: 'paging', work: { asking: true } });
    expect(JSON.stringify(full.turn)).toContain('of 600 tokens');
    const after = told(full, { type: 'paging-finished', freedTokens: 400 });
    expect(after.turn.status).toBe('callingModel');
  });

  it('holds what the provider says it holds', () => {
    const usage = { inputTokens: 5_000, outputTokens: 100 };
    const session = told(fresh(10_000), { type: 'user-message', text: 'go' }, { ...call('a'), usage });
    expect(session.window?.tokens).toBe(5_100);
    expect(session.window?.estimator.factor).toBeGreaterThan(1);
  });

  it('is not made room in again before anything has come', () => {
    const usage = { inputTokens: 950, outputTokens: 10 };
    const asked = told(fresh(1_000), { type: 'user-message', text: 'go' }, { ...call('a'), usage });
    const full = told(asked, result('a', 'short'));
    expect(full.turn.status).toBe('paging');
    const again = told(full, { type: 'paging-finished', freedTokens: 0 }, call('b'), result('b', 'short'));
    expect(again.turn.status).toBe('callingModel');
  });

  it('costs nothing where nobody said how large it is', () => {
    const session = told(createSession({ id: 's', at: 0 }), { type: 'user-message', text: 'go' });
    expect(session.window).toBeNull();
  });

  it('is a function of the log, and never negative', () => {
    const event = fc.oneof(
      fc.constant({ type: 'user-message', text: 'more words' }),
      fc.constant(call('a')),
      fc.constant({ ...call('a'), usage: { inputTokens: 80, outputTokens: 5 } }),
      fc.constant(result('a', 'some text that was read')),
      fc.record({ type: fc.constant('paging-finished'), freedTokens: fc.integer({ min: 0, max: 500 }) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (list) => {
        const start = fresh(100);
        const events = list.map((each, index) => ({ ...each, at: index + 1 }) as Event);
        const session = replay(start, events);
        expect(session.window?.tokens).toBeGreaterThanOrEqual(0);
        expect(replay(start, events)).toEqual(session);
        expect(conversationOf(session).length).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
