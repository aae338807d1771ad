import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getStateHistory, downsampleSeries, getSeriesValue } from '../../web/views/timeline/history-model.ts';
import {
  listVisibleBlocks,
  computeTicks,
  fromPixel,
  toPixel,
  clampRange,
  zoomRange,
} from '../../web/views/timeline/scale-model.ts';
import {
  getSpanTimeline,
  type TimelineRow,
  type TimelineSpan,
} from '../../web/views/timeline/timeline-model.ts';
import type { ReplayedTimeline } from '../../web/app/replayed-timeline.ts';
import {
  createAnswerReply,
  createToolReply,
  createToolEvents,
  goalEvent,
  stuckRunEvents,
  createTimeline,
  type UntimedEvent,
} from './test-events.ts';

function findTimelineRow(timeline: ReplayedTimeline, id: string): TimelineRow {
  const row = getSpanTimeline(timeline).rows.find((each) => each.id === id);
  if (row === undefined) throw new Error(`Expected a row ${id}.`);
  return row;
}

const replyWithTwoCalls: UntimedEvent = {
  type: 'model-replied',
  text: '',
  calls: [
    { id: 'a', tool: 'read', args: {} },
    { id: 'b', tool: 'grep', args: {} },
  ],
};

const createToolFinishedEvent = (callId: string): UntimedEvent => ({
  type: 'tool-finished',
  callId,
  outcome: { ok: true, output: '' },
});

describe('a timeline', () => {
  it('shows concurrent calls in separate rows', () => {
    const timeline = createTimeline([
      goalEvent,
      replyWithTwoCalls,
      { type: 'tool-started', callId: 'a' },
      { type: 'tool-started', callId: 'b' },
      {
        type: 'tool-finished',
        callId: 'b',
        outcome: { ok: false, error: { kind: 'failed', message: 'no' } },
      },
      { type: 'tool-finished', callId: 'a', outcome: { ok: true, output: '' } },
    ]);
    expect(findTimelineRow(timeline, 'tool 1').spans).toMatchObject([
      { label: 'read', from: { seq: 3, at: 3_000 }, to: { seq: 6, at: 6_000 }, outcome: 'ok' },
    ]);
    expect(findTimelineRow(timeline, 'tool 2').spans).toMatchObject([
      { label: 'grep', outcome: 'failed', to: { seq: 5 } },
    ]);
    expect(getSpanTimeline(timeline).rows.map(({ id }) => id)).toEqual(['model', 'tool 1', 'tool 2']);
  });

  it('leaves unfinished spans open', () => {
    const timeline = createTimeline([goalEvent, replyWithTwoCalls, { type: 'tool-started', callId: 'a' }]);
    expect(findTimelineRow(timeline, 'tool 1').spans.at(-1)).toMatchObject({
      to: null,
      outcome: null,
      label: 'read',
    });
    expect(findTimelineRow(createTimeline([goalEvent]), 'model').spans).toMatchObject([
      { to: null, attempt: 1 },
    ]);
  });

  it('numbers attempts and shows when the next one is due', () => {
    const fails: UntimedEvent = {
      type: 'model-failed',
      error: { kind: 'overloaded', message: 'busy' },
      jitter: 0,
    };
    const timeline = createTimeline([goalEvent, fails, { type: 'retry-due' }, createAnswerReply('yes')]);
    expect(findTimelineRow(timeline, 'model').spans).toMatchObject([
      { attempt: 1, outcome: 'failed' },
      { attempt: 2, outcome: 'ok' },
    ]);
    const [retry] = findTimelineRow(timeline, 'retries').spans;
    expect(retry).toMatchObject({ kind: 'retry', attempt: 2, from: { seq: 2 }, to: { seq: 3 } });
    expect(retry?.dueAt).toBeGreaterThan(2_000);
  });

  it('distinguishes waits for people and ignores the time before the first message', () => {
    const timeline = createTimeline([
      goalEvent,
      { type: 'model-replied', text: '', calls: [{ id: 'c', tool: 'sh', args: {}, permission: 'ask' }] },
      { type: 'permission-decided', callId: 'c', decision: 'allow' },
      ...createToolEvents('fine'),
      { type: 'pause-requested', reason: 'lunch' },
      { type: 'resume-requested' },
      createAnswerReply('done'),
    ]);
    expect(findTimelineRow(timeline, 'people').spans.map(({ kind }) => kind)).toEqual([
      'permission',
      'pause',
      'user',
    ]);
    expect(findTimelineRow(timeline, 'people').spans.at(-1)?.to).toBeNull();
  });

  it('marks verdicts and shows phases as bands', () => {
    const timeline = createTimeline([
      { type: 'phase-started', number: 1, description: 'look' },
      ...stuckRunEvents.slice(0, 10),
      { type: 'phase-completed', success: false },
      { type: 'phase-started', number: 2, description: 'mend' },
    ]);
    const { verdicts, phases } = getSpanTimeline(timeline);
    expect(verdicts.map(({ verdict }) => verdict.rule)).toContain('repeated-call');
    expect(phases).toMatchObject([
      { label: '1: look', success: false, to: { seq: timeline.head - 1 } },
      { label: '2: mend', success: null, to: null },
    ]);
  });

  it('ends cancelled spans', () => {
    const timeline = createTimeline([
      goalEvent,
      replyWithTwoCalls,
      { type: 'tool-started', callId: 'a' },
      { type: 'cancel-requested' },
    ]);
    expect(findTimelineRow(timeline, 'tool 1').spans).toMatchObject([
      { outcome: 'cancelled', to: { seq: 4 } },
    ]);
  });

  it('shows concurrent calls without start events in separate rows', () => {
    const { rows } = getSpanTimeline(
      createTimeline([
        goalEvent,
        replyWithTwoCalls,
        createToolFinishedEvent('a'),
        createToolFinishedEvent('b'),
      ]),
    );
    const tools = rows.filter(({ id }) => id.startsWith('tool'));
    expect(tools.map(({ spans }) => spans.map(({ from, to }) => [from.index, to?.index]))).toEqual([
      [[1, 2]],
      [[1, 3]],
    ]);
  });

  it('never has overlapping spans in a row or decreasing times', () => {
    const event = fc.constantFrom<UntimedEvent>(
      goalEvent,
      replyWithTwoCalls,
      createToolReply('read'),
      ...createToolEvents('x', 'a'),
      ...createToolEvents('y', 'b'),
      { type: 'model-failed', error: { kind: 'network', message: 'gone' } },
      { type: 'retry-due' },
      { type: 'pause-requested', reason: '' },
      { type: 'resume-requested' },
      { type: 'cancel-requested' },
      { type: 'halt-requested', reason: 'enough' },
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        for (const { spans } of getSpanTimeline(createTimeline(events)).rows) {
          for (const [index, span] of spans.entries()) {
            const next = spans[index + 1];
            if (span.to !== null) expect(span.to.index).toBeGreaterThanOrEqual(span.from.index);
            if (next !== undefined) expect(span.to?.index ?? Infinity).toBeLessThanOrEqual(next.from.index);
          }
        }
      }),
    );
  });
});

describe('the visible range', () => {
  const spans = Array.from({ length: 50_000 }, (_, index): TimelineSpan => ({
    kind: 'model',
    from: { seq: index * 2 + 1, at: index * 20, index: index * 2 },
    to: { seq: index * 2 + 2, at: index * 20 + 10, index: index * 2 + 1 },
    label: 'model',
    attempt: 1,
    dueAt: null,
    outcome: index === 40_000 ? 'failed' : 'ok',
  }));

  it('has no more blocks than pixels and hides no failure', () => {
    const all = listVisibleBlocks(spans, { axis: 'time', from: 0, to: 1_000_000, width: 800 }, 1_000_000);
    expect(all.length).toBeLessThan(400);
    expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(50_000);
    expect(all.some(({ isFailed }) => isFailed)).toBe(true);
  });

  it('shows single spans when there is enough space', () => {
    const some = listVisibleBlocks(spans, { axis: 'events', from: 100, to: 120, width: 800 }, 100_000);
    expect(some.every(({ count }) => count === 1)).toBe(true);
    expect(some.length).toBeLessThan(14);
    expect(some.some(({ span }) => span.from.index === 110)).toBe(true);
  });

  it('converts positions to pixels and back', () => {
    const view = { axis: 'time', from: 1_000, to: 5_000, width: 640 } as const;
    expect(fromPixel(toPixel(2_345, view), view)).toBeCloseTo(2_345);
  });

  it('stays within the full range when zooming and panning', () => {
    const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(number, number, fc.double({ min: 0.1, max: 10, noNaN: true }), (around, by, factor) => {
        const all = { from: 0, to: 10_000 };
        const zoom = zoomRange({ from: 100, to: 900 }, around, factor, { all, minLength: 10 });
        const moved = clampRange({ from: zoom.from + by, to: zoom.to + by }, all);
        for (const { from, to } of [zoom, moved]) {
          expect(from).toBeGreaterThanOrEqual(-1e-6);
          expect(to).toBeLessThanOrEqual(10_000 + 1e-6);
          expect(to - from).toBeGreaterThan(9.99);
        }
      }),
    );
  });

  it('has labels at round positions', () => {
    expect(computeTicks({ axis: 'time', from: 0, to: 60_000, width: 700 })).toEqual([
      0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000,
    ]);
    expect(computeTicks({ axis: 'events', from: 3, to: 7, width: 900 })).toEqual([3, 4, 5, 6, 7]);
    expect(computeTicks({ axis: 'time', from: 5, to: 5, width: 700 })).toEqual([]);
  });
});

describe('the state history of a run', () => {
  it('contains the match count of each rule after each event', () => {
    const timeline = createTimeline(stuckRunEvents);
    const history = getStateHistory(timeline);
    history.advance(5);
    expect(history.isDone).toBe(false);
    history.advance(1_000);
    expect(history.isDone).toBe(true);
    const calls = history.rules.get('repeated-call');
    if (calls === undefined) throw new Error('Expected the rule to match.');
    expect([3, 6, 9, 12].map((index) => getSeriesValue(calls, index))).toEqual([1, 2, 3, 4]);
    expect(getSeriesValue(history.tokens, timeline.length - 1)).toBe(4 * 110 + 220);
    expect(Math.max(...history.nearest.value)).toBe(1);
  });

  it('keeps the peaks of a downsampled series', () => {
    const index = Array.from({ length: 10_000 }, (_, position) => position);
    const series = { index, value: index.map((position) => (position === 7_777 ? 9 : 1)) };
    const sampled = downsampleSeries(series, 0, 10_000, 100);
    expect(sampled.index.length).toBeLessThanOrEqual(101);
    expect(Math.max(...sampled.value)).toBe(9);
  });
});
