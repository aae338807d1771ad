import { createSession, replay, type Event, type Session } from '@pawl/core';
import { putEntry } from '@pawl/core/memory';
import { findProfile } from '@pawl/core/profiles';
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
    expect(createEventList(allEventsFilter).indices).toHaveLength(140);
  });

  it('shows only events of the selected group', () => {
    const { timeline, indices } = createEventList({ ...allEventsFilter, group: 'model' });
    expect(listEventTypes(timeline, indices)).toEqual(new Set(['model-replied']));
    expect(createEventList({ ...allEventsFilter, group: 'you' }).indices).toHaveLength(20);
  });

  it('shows only failed events on request', () => {
    const { timeline, indices } = createEventList({ ...allEventsFilter, isFailedOnly: true });
    expect(indices.length).toBeGreaterThan(0);
    expect(indices.every((index) => isFailedEntry(timeline.entry(index)))).toBe(true);
    expect(indices).toHaveLength(3);
  });

  it('matches words anywhere in an event, ignoring case', () => {
    const { timeline, indices } = createEventList({ ...allEventsFilter, text: 'PART-7.ts look' });
    expect(indices.length).toBeGreaterThan(0);
    for (const index of indices) {
      expect(JSON.stringify(timeline.entry(index).event).toLowerCase()).toContain('part-7.ts');
    }
    expect(createEventList({ ...allEventsFilter, text: '[.*+?^$' }).indices).toEqual([]);
  });

  it('finds the row of an event, or of the last one before it', () => {
    const { list, timeline } = createEventList({ ...allEventsFilter, group: 'you' });
    expect(list.rowAt(1)).toBe(0);
    expect(list.rowAt(7)).toBe(0);
    expect(list.rowAt(8)).toBe(1);
    expect(list.rowAt(0)).toBe(-1);
    expect(list.rowAt(timeline.head)).toBe(19);
  });

  it('grows with the timeline', () => {
    const { created, events } = createLongRun(140);
    const timeline = new ReplayedTimeline(created);
    const list = new EventList(timeline, { ...allEventsFilter, group: 'you' });
    const all = events.map((event, index) => ({ seq: index + 1, event }));
    timeline.add(all.slice(0, 70));
    expect(list.update().indices).toHaveLength(10);
    timeline.add(all);
    expect(list.update().indices).toHaveLength(20);
  });

  it('summarizes each event on one line with unsafe characters escaped', () => {
    const text = 'a\nb \u202Eevil\u0007\u001b[31m <b>';
    const line = summarizeEvent({ type: 'user-message', at: 1, text });
    expect(line).toBe('a ⏎ b \\u202eevil\\x07\\x1b[31m <b>');
    expect(summarizeEvent({ type: 'user-message', at: 1, text: 'x'.repeat(1_000_000) }).length).toBeLessThan(
      400,
    );
  });
});

describe('the difference between two states', () => {
  it('contains what the event changed and nothing else', () => {
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

  it('is empty between a state and itself or its copy', () => {
    const session = createSession({ id: 's', at: 1 });
    expect(diffStates(session, session)).toEqual({ changes: [], omitted: 0 });
    expect(diffStates(session, structuredClone(session))).toEqual({ changes: [], omitted: 0 });
  });

  it('identifies memory entries by key, including __proto__', () => {
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

  it('is limited and counts the omitted changes', () => {
    const session = createSession({ id: 's', at: 1 });
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`r${index}`, false as const]));
    const governor = { ...session.settings.governor, rules: many };
    const after = { ...session, settings: { ...session.settings, governor } };
    const { changes, omitted } = diffStates(session, after);
    expect(changes).toHaveLength(200);
    expect(omitted).toBe(300);
  });

  it('contains the previous length of a conversation that became shorter', () => {
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
  const timeline = new ReplayedTimeline(created);
  timeline.add(events.map((event, index) => ({ seq: index + 1, event })));
  const list = new EventList(timeline, filter).update();
  return { timeline, list, indices: list.indices };
}

function listEventTypes(timeline: ReplayedTimeline, indices: readonly number[]): ReadonlySet<string> {
  return new Set(indices.map((index) => timeline.entry(index).event.type));
}

function stepAroundEvent(event: Event): { readonly before: Session; readonly after: Session } {
  const before = createSession({ id: 's', at: 1 });
  return { before, after: replay(before, [event]) };
}
