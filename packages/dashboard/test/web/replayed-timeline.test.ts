import { createSession, replay, step, type Event, type Session } from '@pawl/core';
import { countTotalTokens, emptyTotals } from '@pawl/core/projections';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../../../../scripts/testing/cpu-time.ts';
import type { NumberedEvent } from '../../web/app/api-types.ts';
import { EventGapError, ReplayedTimeline } from '../../web/app/replayed-timeline.ts';
import { createLongRun } from './long-run.ts';

describe('a replayed timeline', () => {
  it('provides the state after every event', () => {
    const { created, events } = createLongRun(300);
    const timeline = createFilledTimeline(created, events);
    expect(timeline.length).toBe(300);
    for (const seq of [0, 1, 2, 63, 64, 65, 127, 128, 129, 200, 299, 300]) {
      expect(timeline.stateAt(seq)).toEqual(replay(created, events.slice(0, seq)));
    }
    expect(timeline.latest).toEqual(replay(created, events));
  });

  it('provides the same state in any order of requests', () => {
    const { created, events } = createLongRun(400);
    const timeline = createFilledTimeline(created, events);
    const states = events.map((_, index) => replay(created, events.slice(0, index + 1)));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 12 }), (requested) => {
        for (const seq of requested) expect(timeline.stateAt(seq)).toEqual(states[seq - 1]);
      }),
      { numRuns: 30 },
    );
  });

  it('accepts events in any slices and skips known ones', () => {
    const { created, events } = createLongRun(150);
    const all = numberEvents(events);
    fc.assert(
      fc.property(fc.array(fc.nat(150), { maxLength: 6 }), (cuts) => {
        const timeline = new ReplayedTimeline(created);
        for (const cut of [...cuts.toSorted((one, other) => one - other), 150]) {
          timeline.add(all.slice(Math.max(0, timeline.head - 3), cut));
        }
        expect(timeline.head).toBe(150);
        expect(timeline.latest).toEqual(replay(created, events));
      }),
      { numRuns: 40 },
    );
  });

  it('rejects events after a gap and reports its head', () => {
    const { created, events } = createLongRun(20);
    const timeline = new ReplayedTimeline(created);
    const all = numberEvents(events);
    timeline.add(all.slice(0, 5));
    expect(() => timeline.add(all.slice(7))).toThrow(EventGapError);
    expect(timeline.head).toBe(5);
    timeline.add(all);
    expect(timeline.head).toBe(20);
  });

  it('provides the result of each step', () => {
    const { created, events } = createLongRun(7);
    const timeline = createFilledTimeline(created, events);
    let session = created;
    for (const [index, event] of events.entries()) {
      const { session: after, actions, notes } = step(session, event);
      const entry = timeline.entry(index);
      expect(entry).toMatchObject({ seq: index + 1, event, status: after.turn.status, actions, notes });
      session = after;
    }
    expect(timeline.entry(1).items.map(({ kind }) => kind)).toEqual(['reply', 'call', 'call']);
    expect(timeline.entry(5).items.map(({ kind }) => kind)).toEqual([
      'tool-result',
      'delivered-result',
      'delivered-result',
    ]);
  });

  it('counts replies, calls and tokens up to any event', () => {
    const { created, events } = createLongRun(14);
    const timeline = createFilledTimeline(created, events);
    expect(timeline.totalsAt(0)).toEqual(emptyTotals);
    expect(timeline.totalsAt(7)).toMatchObject({ replies: 2, toolCalls: 2, cost: null });
    expect(countTotalTokens(timeline.totalsAt(7))).toBe(1_920);
    expect(timeline.totalsAt(14)).toMatchObject({ replies: 4, toolCalls: 4 });
    expect(timeline.totalsAt(99)).toEqual(timeline.totalsAt(14));
  });

  it('handles numbers that are not events', () => {
    const { created, events } = createLongRun(10);
    const timeline = createFilledTimeline(created, events);
    expect(timeline.stateAt(-5)).toBe(created);
    expect(timeline.stateAt(Number.NaN)).toBe(created);
    expect(timeline.stateAt(1e9)).toBe(timeline.latest);
    expect([timeline.indexOf(0), timeline.indexOf(11), timeline.indexOf(1.5), timeline.indexOf(10)]).toEqual([
      -1, -1, -1, 9,
    ]);
    expect(() => timeline.entry(10)).toThrow(RangeError);
    expect(new ReplayedTimeline(createSession({ id: 'empty', at: 1 })).head).toBe(0);
  });

  it('replays 100,000 events and provides any state quickly', () => {
    const { created, events } = createLongRun(100_000);
    const all = numberEvents(events);
    const timeline = new ReplayedTimeline(created);
    const fillMs = startCpuTimer();
    for (let from = 0; from < all.length; from += 1_000) timeline.add(all.slice(from, from + 1_000));
    expect(fillMs()).toBeLessThan(30_000);
    const lookMs = startCpuTimer();
    for (let seq = 99_000; seq > 0; seq -= 990) timeline.stateAt(seq);
    expect(lookMs() / 100).toBeLessThan(250);
    expect(timeline.length).toBe(100_000);
  });
});

function numberEvents(events: readonly Event[]): readonly NumberedEvent[] {
  return events.map((event, index) => ({ seq: index + 1, event }));
}

function createFilledTimeline(created: Session, events: readonly Event[]): ReplayedTimeline {
  const timeline = new ReplayedTimeline(created);
  timeline.add(numberEvents(events));
  return timeline;
}
