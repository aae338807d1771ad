import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getConversation, createSession, replay, step, type Event, type Session } from '../../src/index.ts';

/** Tells a session what happened, one thing after the other. */
function replayTimed(session: Session, ...events: readonly object[]): Session {
  let after = session;
  for (const [index, event] of events.entries()) {
    after = step(after, { at: index + 1, ...event } as Event).session;
  }
  return after;
}

const createWindowSession = (windowTokens: number): Session =>
  createSession({
    id: 's',
    at: 0,
    settings: { windowTokens, compact: true, governor: { preset: 'none', rules: {} } },
  });

const createReplyEvent = (id: string): object => ({
  type: 'model-replied',
  text: '',
  calls: [{ id, tool: 'read', args: {} }],
});
const createResultEvent = (id: string, output: string): object => ({
  type: 'tool-finished',
  callId: id,
  outcome: { ok: true, output },
});

describe('the context window', () => {
  it('is paged before it is full', () => {
    const page = 'word '.repeat(200);
    const session = replayTimed(
      createWindowSession(600),
      { type: 'user-message', text: 'go' },
      createReplyEvent('a'),
      createResultEvent('a', page),
      createReplyEvent('b'),
      createResultEvent('b', page),
    );
    expect(session.turn.status).toBe('callingModel');
    const full = replayTimed(session, createReplyEvent('c'), createResultEvent('c', page));
    expect(full.turn).toMatchObject({ status: 'paging', work: { asking: true } });
    expect(JSON.stringify(full.turn)).toContain('of 600 tokens');
    const after = replayTimed(full, { type: 'paging-finished', freedTokens: 400 });
    expect(after.turn.status).toBe('callingModel');
  });

  it("takes its size from the provider's usage report", () => {
    const usage = { inputTokens: 5_000, outputTokens: 100 };
    const session = replayTimed(
      createWindowSession(10_000),
      { type: 'user-message', text: 'go' },
      { ...createReplyEvent('a'), usage },
    );
    expect(session.window?.tokens).toBe(5_100);
    expect(session.window?.estimator.factor).toBeGreaterThan(1);
  });

  it('is not paged again before it has grown', () => {
    const usage = { inputTokens: 950, outputTokens: 10 };
    const asked = replayTimed(
      createWindowSession(1_000),
      { type: 'user-message', text: 'go' },
      { ...createReplyEvent('a'), usage },
    );
    const full = replayTimed(asked, createResultEvent('a', 'short'));
    expect(full.turn.status).toBe('paging');
    const repeated = replayTimed(
      full,
      { type: 'paging-finished', freedTokens: 0 },
      createReplyEvent('b'),
      createResultEvent('b', 'short'),
    );
    expect(repeated.turn.status).toBe('callingModel');
  });

  it('is not tracked if its size is unknown', () => {
    const session = replayTimed(createSession({ id: 's', at: 0 }), { type: 'user-message', text: 'go' });
    expect(session.window).toBeNull();
  });

  it('is a function of the log, and never negative', () => {
    const event = fc.oneof(
      fc.constant({ type: 'user-message', text: 'more words' }),
      fc.constant(createReplyEvent('a')),
      fc.constant({ ...createReplyEvent('a'), usage: { inputTokens: 80, outputTokens: 5 } }),
      fc.constant(createResultEvent('a', 'some text that was read')),
      fc.record({ type: fc.constant('paging-finished'), freedTokens: fc.integer({ min: 0, max: 500 }) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (list) => {
        const start = createWindowSession(100);
        const events = list.map((each, index) => ({ ...each, at: index + 1 }) as Event);
        const session = replay(start, events);
        expect(session.window?.tokens).toBeGreaterThanOrEqual(0);
        expect(replay(start, events)).toEqual(session);
        expect(getConversation(session).length).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
