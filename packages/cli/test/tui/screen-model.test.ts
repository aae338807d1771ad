import { getConversation, createSession, step, type Event } from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import { describe, expect, it } from 'vitest';
import { maxLoggedEvents } from '../../src/tui/logged-events.ts';
import { renderFrame } from '../../src/tui/render-frame.ts';
import {
  isRedrawNeeded,
  applyStepResult,
  advanceClock,
  type ScreenModel,
} from '../../src/tui/screen-model.ts';
import { transcriptLimits } from '../../src/tui/live-transcript.ts';
import {
  applyEvents,
  createCallReplyEvent,
  measureCpuMs,
  helloEvent,
  openTestScreen,
  pressKeys,
  renderScreenText,
  renderRows,
} from './fixtures/test-screen.ts';

/** The size of a model without the session that it references. */
function measureModelSize(model: ScreenModel): number {
  return JSON.stringify({ ...model, session: null }).length;
}

/** Replies with a tool call each that reports progress. */
const createRounds = (from: number, count: number): readonly Event[] =>
  Array.from({ length: count }, (_, index): readonly Event[] => {
    const at = 10 * (from + index);
    const text = `This is reply number ${from + index}. `.repeat(20);
    return [
      { type: 'text-delta', at, text },
      createCallReplyEvent(at, text, ['a', 'read', { path: `file-${from + index}.md` }]),
      { type: 'tool-started', at, callId: 'a' },
      { type: 'tool-progressed', at, callId: 'a', progress: 'half' },
      { type: 'tool-finished', at, callId: 'a', outcome: { ok: true, output: 'x'.repeat(500) } },
    ];
  }).flat();

describe('a long session', () => {
  const settings = { ...findProfile('pawl')?.settings, governor: { preset: 'none', rules: {} } } as const;
  it('takes no more memory after ten thousand events than after five thousand, and renders as fast', () => {
    const half = applyEvents(openTestScreen({ settings }), helloEvent, ...createRounds(0, 1_000));
    let full = half;
    const feedMs = measureCpuMs(() => (full = applyEvents(half, ...createRounds(1_000, 1_000))));
    expect(full.session.seq).toBeGreaterThan(5_999);
    expect(full.transcript.items.length).toBeLessThanOrEqual(transcriptLimits.items + 64);
    expect(full.events.length).toBeLessThanOrEqual(maxLoggedEvents * 1.25);
    expect(measureModelSize(full)).toBeLessThan(measureModelSize(half) * 1.3);
    expect(feedMs / 5_000).toBeLessThan(5);
    const drawMs = measureCpuMs(() => {
      for (let frames = 0; frames < 100; frames += 1) renderFrame(full);
    });
    expect(drawMs / 100).toBeLessThan(25);
    expect(renderScreenText(full)).toContain('file-1999.md');
    const transcript = pressKeys(full, 'tab', 'home').model;
    expect(renderScreenText(transcript)).toContain('earlier entries are not shown here; see the log.');
  });

  it('truncates an endless reply', () => {
    const deltas = Array.from({ length: 2_000 }, (_, at): Event => ({
      type: 'text-delta',
      at,
      text: 'abc '.repeat(100),
    }));
    const model = applyEvents(openTestScreen({ settings }), helloEvent, ...deltas);
    expect(measureModelSize(model)).toBeLessThan(100_000);
  });
});

describe('time', () => {
  it('changes the view every second, and more often only while the agent works', () => {
    const waiting = advanceClock(openTestScreen(), 5_100);
    expect([isRedrawNeeded(waiting, 5_900), isRedrawNeeded(waiting, 6_000)]).toEqual([false, true]);
    expect(renderRows(advanceClock(waiting, 5_900))).toEqual(renderRows(waiting));
    const busy = advanceClock(applyEvents(openTestScreen(), helloEvent), 5_100);
    expect(isRedrawNeeded(busy, 5_350)).toBe(true);
    expect(renderRows(advanceClock(busy, 5_350))).not.toEqual(renderRows(busy));
  });

  it('is unaffected by an event with an invalid timestamp', () => {
    const model = applyEvents(openTestScreen(), { type: 'user-message', at: NaN, text: 'Hello' });
    expect(model.now).toBe(0);
    expect(renderScreenText(model)).toContain(' › Hello');
  });
});

describe('the screen model', () => {
  it('counts calls, tokens and cost, and ignores invalid usage', () => {
    const model = applyEvents(
      openTestScreen(),
      helloEvent,
      createCallReplyEvent(2_000, 'Hm.', ['a', 'read', {}]),
      {
        type: 'tool-finished',
        at: 2_100,
        callId: 'a',
        outcome: { ok: true, output: '' },
      },
    );
    const usage = { modelCalls: 1, toolCalls: 1, inputTokens: 1_200, outputTokens: 80, cost: 0.012 };
    expect(model.usage).toEqual(usage);
    const odd = applyEvents(model, {
      type: 'model-replied',
      at: 2_200,
      text: 'So.',
      calls: [],
      usage: { inputTokens: NaN, outputTokens: -5 },
    });
    expect(odd.usage).toEqual({ ...usage, modelCalls: 2 });
  });

  it('ignores an event that the state machine rejects', () => {
    const before = openTestScreen();
    const event: Event = { type: 'tool-finished', at: 5, callId: 'x', outcome: { ok: true, output: 1 } };
    const model = applyStepResult(before, { ...step(before.session, event), event });
    expect(model.transcript).toEqual(before.transcript);
    expect([model.events, model.visitedStatuses, model.usage]).toEqual([
      before.events,
      before.visitedStatuses,
      before.usage,
    ]);
  });

  it('shows the last messages of a resumed session', () => {
    let session = createSession({ id: 's', at: 0 });
    const events = Array.from({ length: 40 }, (_, index): readonly Event[] => [
      { type: 'user-message', at: index, text: `question ${index}` },
      createCallReplyEvent(index, `answer ${index}`),
    ]).flat();
    for (const event of events) session = step(session, event).session;
    expect(getConversation(session).length).toBe(80);
    const text = renderScreenText(pressKeys(openTestScreen({ session }), 'tab', 'home').model);
    expect(text).toContain('50 earlier messages are not shown.');
    expect(text).toContain('question 25');
    expect(renderScreenText(openTestScreen({ session }))).toContain('answer 39');
  });

  it('is bounded when a turn changes very many files', () => {
    const files = Array.from({ length: 500 }, (_, index) => ({
      path: `f${index}`,
      hash: 'x',
      diff: '@@ -1,1 +1,1 @@\n+a',
    }));
    const model = applyEvents(
      openTestScreen(),
      helloEvent,
      createCallReplyEvent(2_000, '', ['a', 'shell', {}]),
      { type: 'tool-finished', at: 2_100, callId: 'a', outcome: { ok: true, output: '' }, files },
    );
    expect(model.changes).toHaveLength(200);
    expect(model.changes.at(-1)?.path).toBe('f499');
  });

  it('reports that events cannot be saved', () => {
    const storeOutage = { kind: 'full', message: 'There is no room left on the disk.' } as const;
    expect(renderScreenText({ ...openTestScreen(), storeOutage })).toContain(
      ' Cannot save (full): There is no room left on the disk. The session waits.',
    );
  });
});
