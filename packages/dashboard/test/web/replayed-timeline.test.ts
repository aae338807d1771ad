import {
  getConversation,
  createSession,
  replay,
  step,
  toItemArray,
  type Event,
  type Session,
} from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../../../../scripts/testing/cpu-time.ts';
import type { NumberedEvent } from '../../web/app/api-types.ts';
import { EventGapError, ReplayedTimeline } from '../../web/app/replayed-timeline.ts';
import { createLongRun } from './long-run.ts';

describe('a track', () => {
  it('has the state after every event, as replay gives it', () => {
    const { created, events } = createLongRun(300);
    const track = createFilledTimeline(created, events);
    expect(track.length).toBe(300);
    for (const seq of [0, 1, 2, 63, 64, 65, 127, 128, 129, 200, 299, 300]) {
      expect(track.at(seq)).toEqual(replay(created, events.slice(0, seq)));
    }
    expect(track.now).toEqual(replay(created, events));
  });

  it('gives the same state in whatever order it is asked for', () => {
    const { created, events } = createLongRun(400);
    const track = createFilledTimeline(created, events);
    const states = events.map((_, index) => replay(created, events.slice(0, index + 1)));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 12 }), (asked) => {
        for (const seq of asked) expect(track.at(seq)).toEqual(states[seq - 1]);
      }),
      { numRuns: 30 },
    );
  });

  it('takes events however they are cut, and passes over those it knows', () => {
    const { created, events } = createLongRun(150);
    const all = numberEvents(events);
    fc.assert(
      fc.property(fc.array(fc.nat(150), { maxLength: 6 }), (cuts) => {
        const track = new ReplayedTimeline(created);
        for (const cut of [...cuts.toSorted((one, other) => one - other), 150]) {
          track.add(all.slice(Math.max(0, track.head - 3), cut));
        }
        expect(track.head).toBe(150);
        expect(track.now).toEqual(replay(created, events));
      }),
      { numRuns: 40 },
    );
  });

  it('takes nothing beyond a gap and says where it is', () => {
    const { created, events } = createLongRun(20);
    const track = new ReplayedTimeline(created);
    const all = numberEvents(events);
    track.add(all.slice(0, 5));
    expect(() => track.add(all.slice(7))).toThrow(EventGapError);
    expect(track.head).toBe(5);
    track.add(all);
    expect(track.head).toBe(20);
  });

  it('tells what each event led to', () => {
    const { created, events } = createLongRun(7);
    const track = createFilledTimeline(created, events);
    let session = created;
    for (const [index, event] of events.entries()) {
      const { session: after, actions, notes } = step(session, event);
      const entry = track.entry(index);
      expect(entry).toMatchObject({ seq: index + 1, event, status: after.turn.status, actions, notes });
      session = after;
    }
    expect(track.entry(1).joined.map(({ role }) => role)).toEqual(['assistant']);
    expect(track.entry(5).joined.map(({ role }) => role)).toEqual(['tool', 'tool']);
  });

  it('loses no message, also where the conversation starts a new leaf', () => {
    const { created, events } = createLongRun(700);
    const track = createFilledTimeline(created, events);
    const joined = events.flatMap((_, index) => track.entry(index).joined);
    expect(joined).toEqual(toItemArray(getConversation(track.now)));
  });

  it('counts replies, calls and tokens up to any event', () => {
    const { created, events } = createLongRun(14);
    const track = createFilledTimeline(created, events);
    expect(track.totalsAt(0)).toEqual({ replies: 0, calls: 0, tokens: 0, cost: 0 });
    expect(track.totalsAt(7)).toEqual({ replies: 2, calls: 2, tokens: 1_920, cost: 0 });
    expect(track.totalsAt(14)).toMatchObject({ replies: 4, calls: 4 });
    expect(track.totalsAt(99)).toEqual(track.totalsAt(14));
  });

  it('answers for numbers that are no event', () => {
    const { created, events } = createLongRun(10);
    const track = createFilledTimeline(created, events);
    expect(track.at(-5)).toBe(created);
    expect(track.at(Number.NaN)).toBe(created);
    expect(track.at(1e9)).toBe(track.now);
    expect([track.indexOf(0), track.indexOf(11), track.indexOf(1.5), track.indexOf(10)]).toEqual([
      -1, -1, -1, 9,
    ]);
    expect(() => track.entry(10)).toThrow(RangeError);
    expect(new ReplayedTimeline(createSession({ id: 'empty', at: 1 })).head).toBe(0);
  });

  it('takes 100,000 events, and a look at any moment costs no more than at the first', () => {
    const { created, events } = createLongRun(100_000);
    const all = numberEvents(events);
    const track = new ReplayedTimeline(created);
    const fillMs = startCpuTimer();
    for (let from = 0; from < all.length; from += 1_000) track.add(all.slice(from, from + 1_000));
    expect(fillMs()).toBeLessThan(30_000);
    const lookMs = startCpuTimer();
    for (let seq = 99_000; seq > 0; seq -= 990) track.at(seq);
    expect(lookMs() / 100).toBeLessThan(250);
    expect(track.length).toBe(100_000);
  });
});

function numberEvents(events: readonly Event[]): readonly NumberedEvent[] {
  return events.map((event, index) => ({ seq: index + 1, event }));
}

function createFilledTimeline(created: Session, events: readonly Event[]): ReplayedTimeline {
  const track = new ReplayedTimeline(created);
  track.add(numberEvents(events));
  return track;
}
