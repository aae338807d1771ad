import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createSession,
  emptyMemory,
  entriesOf,
  log,
  lkjTokens,
  memorySettings,
  memoryWishes,
  page,
  put,
  replay,
  step,
  tokensOf,
  workingObject,
  type Event,
  type Json,
  type Memory,
  type MemoryWish,
  type Session,
} from '../../src/index.ts';
import { findEntry } from '../../src/memory/memory.ts';
import { stubKeys, stubsMax } from '../../src/memory/stub.ts';

function memoryWith(entries: { readonly [key: string]: Json }): Memory {
  return Object.entries(entries).reduce(
    (memory, [key, value]) => put(memory, { key, value, at: 1 }),
    emptyMemory(memorySettings.pawl),
  );
}

function sessionWith(memory: Memory | null): Session {
  return { ...createSession({ id: 's', at: 0 }), memory };
}

const asks = (action: MemoryWish, key: string, at = 9): Event => ({ type: 'memory-asked', at, action, key });
const long = 'A sentence about the shed. '.repeat(20);

function entryIn({ memory }: Session, key: string): ReturnType<typeof findEntry> {
  return memory === null ? undefined : findEntry(memory, key);
}

describe('pinning by a person', () => {
  it('keeps an entry in working memory when room is made, until it is unpinned', () => {
    const before = sessionWith(memoryWith({ plan: long, shed: long }));
    const pinned = step(before, asks('pin', 'plan')).session;
    expect(entryIn(pinned, 'plan')).toMatchObject({ pinned: true, value: long, touchedAt: 1 });
    expect(pinned.seq).toBe(before.seq + 1);
    const room = (session: Session): readonly string[] =>
      page(session.memory ?? memoryWith({}), { limit: 50, at: 10 }).moved.map(({ key }) => key);
    expect(room(pinned)).toEqual(['shed']);
    expect(room(step(pinned, asks('unpin', 'plan')).session)).toEqual(['plan', 'shed']);
  });

  it('changes nothing about the work under way', () => {
    const working = step(sessionWith(memoryWith({ plan: 'x' })), { type: 'user-message', at: 1, text: 'Go' });
    const { session, actions, notes } = step(working.session, asks('pin', 'plan'));
    expect(session.turn).toBe(working.session.turn);
    expect(actions).toEqual([{ type: 'wait', until: null }]);
    expect(notes).toEqual([]);
  });
});

describe('sending to storage by a person', () => {
  it('moves the entry to the shelf, leaves a stub and tells of it', () => {
    const { session, actions, notes } = step(sessionWith(memoryWith({ plan: long })), asks('evict', 'plan'));
    expect(actions).toEqual([
      { type: 'store', entries: [{ key: 'plan', value: long, kind: 'entry', savedAt: 9 }] },
      { type: 'wait', until: null },
    ]);
    expect(entryIn(session, 'plan')).toMatchObject({ kind: 'stub' });
    expect(notes).toMatchObject([{ type: 'paged', moved: [{ key: 'plan', why: 'asked for' }] }]);
  });

  it('puts it into storage also while the session is paused', () => {
    const paused = step(sessionWith(memoryWith({ plan: long })), {
      type: 'pause-requested',
      at: 2,
      reason: 'lunch',
    }).session;
    const { session, actions } = step(paused, asks('evict', 'plan'));
    expect(actions).toMatchObject([{ type: 'store', entries: [{ key: 'plan', value: long }] }]);
    expect(session.turn.status).toBe('paused');
    expect(entryIn(session, 'plan')).toMatchObject({ kind: 'stub' });
  });

  it('archives a line of a log under a name of its own, and closes the gap', () => {
    const empty = emptyMemory(memorySettings.lkj);
    const memory = ['one', 'two'].reduce((held, text) => log(held, 'think', text, 5), empty);
    const { session, actions } = step(sessionWith(memory), asks('evict', 'think_log_001'));
    expect(actions[0]).toMatchObject({ type: 'store', entries: [{ value: 'one', kind: 'think-log' }] });
    expect(JSON.stringify(actions[0])).toContain('archived');
    expect(entryIn(session, 'think_log_001')).toMatchObject({ value: 'two' });
  });

  it('shows no more stubs than paging does', () => {
    const keys = Array.from({ length: stubsMax + 3 }, (_, index) => `entry_${index}`);
    const memory = memoryWith(Object.fromEntries(keys.map((key) => [key, long])));
    const after = replay(
      sessionWith(memory),
      keys.map((key) => asks('evict', key)),
    );
    expect(after.memory === null ? [] : stubKeys(after.memory)).toEqual(keys.slice(3));
  });
});

describe('what cannot be done with an entry', () => {
  const pinned = put(memoryWith({ plan: long, shed: long }), {
    key: 'plan',
    value: long,
    pinned: true,
    at: 2,
  });
  const stubbed = step(sessionWith(pinned), asks('evict', 'shed')).session.memory;
  const logged = log(emptyMemory(memorySettings.lkj), 'think', 'a thought', 1);

  it.each([
    ['there is none', null, asks('pin', 'plan'), 'no working memory'],
    ['it is not there', pinned, asks('pin', 'plans'), 'no plans'],
    ['it is a name of every object', pinned, asks('evict', '__proto__'), 'no __proto__'],
    ['it is pinned already', pinned, asks('pin', 'plan'), 'pinned already'],
    ['it is not pinned', pinned, asks('unpin', 'shed'), 'not pinned'],
    ['it is pinned and is to go', pinned, asks('evict', 'plan'), 'unpin it first'],
    ['it has gone already', stubbed, asks('evict', 'shed'), 'in storage already'],
    ['it is a line of a log and is to stay', logged, asks('pin', 'think_log_001'), 'part of a log'],
  ])('is said where %s, and the session stays as it is', (_, memory, event, reason) => {
    const before = { ...sessionWith(memory), settings: { ...createSession({ id: 's', at: 0 }).settings } };
    for (const onInvalidEvent of ['ignore', 'refuse', 'reset'] as const) {
      const strict = { ...before, settings: { ...before.settings, onInvalidEvent } };
      const { session, actions, notes } = step(strict, event);
      expect(session).toBe(strict);
      expect(actions).toEqual([{ type: 'wait', until: null }]);
      expect(notes).toMatchObject([{ type: 'refused', reason: expect.stringContaining(reason) }]);
    }
  });

  it('is nothing that could lose an entry: whatever is asked, each is at hand or on the shelf', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'moved_to_storage', 'none');
    const wishes = fc.array(fc.tuple(fc.constantFrom(...memoryWishes), key), { maxLength: 30 });
    fc.assert(
      fc.property(wishes, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), (asked, sizes) => {
        const values = ['a', 'b', 'c', 'd'].map(
          (name, at) => [name, sizes[at] === true ? long : name] as const,
        );
        let session = sessionWith(memoryWith(Object.fromEntries(values)));
        const shelf = new Map<string, unknown>();
        for (const [action, name] of asked) {
          const after = step(session, asks(action, name));
          for (const each of after.actions)
            if (each.type === 'store')
              for (const { key: kept, value } of each.entries) shelf.set(kept, value);
          session = after.session;
        }
        const memory = session.memory ?? memoryWith({});
        for (const [name, value] of values) {
          const held = findEntry(memory, name);
          const isHeld = held !== undefined && held.kind !== 'stub';
          expect(isHeld ? held.value : shelf.get(name)).toBe(value);
        }
        expect(tokensOf(memory)).toBe(lkjTokens(workingObject(memory)));
        expect(new Set(entriesOf(memory).map(({ order }) => order)).size).toBe(memory.entries.size);
      }),
    );
  });
});
