import { createSession, findProfile, putEntry, replay, type Event, type Session } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { ReplayedTimeline } from '../../web/app/replayed-timeline.ts';
import {
  EventList,
  summarizeEvent,
  allEventsFilter,
  isFailedEntry,
  type EventFilter,
} from '../../web/views/events/events-model.ts';
import { diffStates } from '../../web/views/events/state-diff.ts';
import { createLongRun } from './long-run.ts';

describe('the list of events', () => {
  it('shows every event without a filter', () => {
    expect(createEventList(allEventsFilter).places).toHaveLength(140);
  });

  it('shows only what is asked for', () => {
    const { track, places } = createEventList({ ...allEventsFilter, group: 'model' });
    expect(listEventTypes(track, places)).toEqual(new Set(['model-replied']));
    expect(createEventList({ ...allEventsFilter, group: 'you' }).places).toHaveLength(20);
  });

  it('shows what failed', () => {
    const { track, places } = createEventList({ ...allEventsFilter, isFailedOnly: true });
    expect(places.length).toBeGreaterThan(0);
    expect(places.every((place) => isFailedEntry(track.entry(place)))).toBe(true);
    expect(places).toHaveLength(3);
  });

  it('finds words anywhere in an event, in whatever case', () => {
    const { track, places } = createEventList({ ...allEventsFilter, text: 'PART-7.ts look' });
    expect(places.length).toBeGreaterThan(0);
    for (const place of places) {
      expect(JSON.stringify(track.entry(place).event).toLowerCase()).toContain('part-7.ts');
    }
    expect(createEventList({ ...allEventsFilter, text: '[.*+?^$' }).places).toEqual([]);
  });

  it('finds the row of an event, or of the last one before it', () => {
    const { list, track } = createEventList({ ...allEventsFilter, group: 'you' });
    expect(list.rowAt(1)).toBe(0);
    expect(list.rowAt(7)).toBe(0);
    expect(list.rowAt(8)).toBe(1);
    expect(list.rowAt(0)).toBe(-1);
    expect(list.rowAt(track.head)).toBe(19);
  });

  it('goes on when the track does', () => {
    const { created, events } = createLongRun(140);
    const track = new ReplayedTimeline(created);
    const list = new EventList(track, { ...allEventsFilter, group: 'you' });
    const all = events.map((event, index) => ({ seq: index + 1, event }));
    track.add(all.slice(0, 70));
    expect(list.readOn().places).toHaveLength(10);
    track.add(all);
    expect(list.readOn().places).toHaveLength(20);
  });

  it('says each event on one line, with nothing in it that deceives', () => {
    const text = 'a\nb \u202Eevil\u0007\u001b[31m <b>';
    const line = summarizeEvent({ type: 'user-message', at: 1, text });
    expect(line).toBe('a ⏎ b \\u202eevil\\x07\\x1b[31m <b>');
    expect(summarizeEvent({ type: 'user-message', at: 1, text: 'x'.repeat(1_000_000) }).length).toBeLessThan(
      400,
    );
  });
});

describe('the difference between two states', () => {
  it('is what the event changed, and nothing that stayed', () => {
    const { before, after } = stepAroundEvent({ type: 'user-message', at: 5, text: 'Go' });
    const { changes } = diffStates(before, after);
    const paths = changes.map(({ path }) => path);
    expect(paths).toContain('turn.status');
    expect(paths).toContain('turn.conversation[0]');
    expect(paths.some((path) => path.startsWith('settings'))).toBe(false);
    expect(changes.find(({ path }) => path === 'turn.status')).toEqual({
      path: 'turn.status',
      before: 'waitingForUser',
      after: 'callingModel',
    });
  });

  it('is nothing between a state and itself, or its copy', () => {
    const session = createSession({ id: 's', at: 1 });
    expect(diffStates(session, session)).toEqual({ changes: [], left: 0 });
    expect(diffStates(session, structuredClone(session))).toEqual({ changes: [], left: 0 });
  });

  it('tells entries of memory by their keys, also one called __proto__', () => {
    const session = createSession({ id: 's', at: 1, settings: { memory: getLkjMemory() } });
    const { memory } = session;
    if (memory === null) throw new Error('The session has no memory.');
    const after = { ...session, memory: putEntry(memory, { key: '__proto__', value: 'x', at: 2 }) };
    expect(diffStates(session, after).changes).toMatchObject([
      { path: 'memory[__proto__]', before: undefined, after: { value: 'x' } },
    ]);
    expect(diffStates(after, session).changes).toMatchObject([
      { path: 'memory[__proto__]', after: undefined },
    ]);
  });

  it('stops telling at some point and says how much is left', () => {
    const session = createSession({ id: 's', at: 1 });
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`r${index}`, false as const]));
    const governor = { ...session.settings.governor, rules: many };
    const after = { ...session, settings: { ...session.settings, governor } };
    const { changes, left } = diffStates(session, after);
    expect(changes).toHaveLength(200);
    expect(left).toBe(300);
  });

  it('says how long a conversation was that got shorter', () => {
    const { created, events } = createLongRun(20);
    const now = replay(created, events);
    expect(diffStates(now, created).changes).toContainEqual({
      path: 'turn.conversation (messages)',
      before: expect.any(Number) as number,
      after: 0,
    });
  });
});

function getLkjMemory() {
  const profile = findProfile('lkj');
  if (profile?.settings.memory == null) throw new Error('The profile lkj has no memory.');
  return profile.settings.memory;
}

function createEventList(filter: EventFilter) {
  const { created, events } = createLongRun(140);
  const track = new ReplayedTimeline(created);
  track.add(events.map((event, index) => ({ seq: index + 1, event })));
  const list = new EventList(track, filter).readOn();
  return { track, list, places: list.places };
}

function listEventTypes(track: ReplayedTimeline, places: readonly number[]): ReadonlySet<string> {
  return new Set(places.map((place) => track.entry(place).event.type));
}

function stepAroundEvent(event: Event): { readonly before: Session; readonly after: Session } {
  const before = createSession({ id: 's', at: 1 });
  return { before, after: replay(before, [event]) };
}
