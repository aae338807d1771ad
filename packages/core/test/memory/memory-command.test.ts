import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSession, replay, step, type Event, type Json, type Session } from '../../src/index.ts';
import {
  createMemory,
  listEntries,
  writeLog,
  countLkjTokens,
  memorySettings,
  memoryCommands,
  pageEntries,
  putEntry,
  countMemoryTokens,
  toMemoryObject,
  type WorkingMemory,
  type MemoryCommand,
} from '../../src/memory-entry.ts';
import { findEntry } from '../../src/memory/memory.ts';
import { listStubKeys, stubsMax } from '../../src/memory/page-entries.ts';

function createMemoryFromEntries(entries: { readonly [key: string]: Json }): WorkingMemory {
  return Object.entries(entries).reduce(
    (memory, [key, value]) => putEntry(memory, { key, value, at: 1 }),
    createMemory(memorySettings.pawl),
  );
}

function createMemorySession(memory: WorkingMemory | null): Session {
  return { ...createSession({ id: 's', at: 0 }), memory };
}

const createMemoryCommandEvent = (action: MemoryCommand, key: string, at = 9): Event => ({
  type: 'memory-command-requested',
  at,
  action,
  key,
});
const longSentence = 'A sentence about the shed. '.repeat(20);

function findSessionEntry({ memory }: Session, key: string): ReturnType<typeof findEntry> {
  return memory === null ? undefined : findEntry(memory, key);
}

describe("a user's pin command", () => {
  it('keeps an entry in working memory during paging, until it is unpinned', () => {
    const before = createMemorySession(createMemoryFromEntries({ plan: longSentence, shed: longSentence }));
    const pinned = step(before, createMemoryCommandEvent('pin', 'plan')).session;
    expect(findSessionEntry(pinned, 'plan')).toMatchObject({
      pinned: true,
      value: longSentence,
      touchedAt: 1,
    });
    expect(pinned.seq).toBe(before.seq + 1);
    const room = (session: Session): readonly string[] =>
      pageEntries(session.memory ?? createMemoryFromEntries({}), { limit: 50, at: 10 }).moved.map(
        ({ key }) => key,
      );
    expect(room(pinned)).toEqual(['shed']);
    expect(room(step(pinned, createMemoryCommandEvent('unpin', 'plan')).session)).toEqual(['plan', 'shed']);
  });

  it('does not affect the work in progress', () => {
    const working = step(createMemorySession(createMemoryFromEntries({ plan: 'x' })), {
      type: 'user-message',
      at: 1,
      text: 'Go',
    });
    const { session, actions, notes } = step(working.session, createMemoryCommandEvent('pin', 'plan'));
    expect(session.turn).toBe(working.session.turn);
    expect(actions).toEqual([{ type: 'wait', until: null }]);
    expect(notes).toEqual([]);
  });
});

describe("a user's evict command", () => {
  it('moves the entry to storage, leaves a stub and adds a note', () => {
    const { session, actions, notes } = step(
      createMemorySession(createMemoryFromEntries({ plan: longSentence })),
      createMemoryCommandEvent('evict', 'plan'),
    );
    expect(actions).toEqual([
      { type: 'store', entries: [{ key: 'plan', value: longSentence, kind: 'entry', savedAt: 9 }] },
      { type: 'wait', until: null },
    ]);
    expect(findSessionEntry(session, 'plan')).toMatchObject({ kind: 'stub' });
    expect(notes).toMatchObject([{ type: 'paged', moved: [{ key: 'plan', reason: 'asked for' }] }]);
  });

  it('stores the entry also while the session is paused', () => {
    const paused = step(createMemorySession(createMemoryFromEntries({ plan: longSentence })), {
      type: 'pause-requested',
      at: 2,
      reason: 'lunch',
    }).session;
    const { session, actions } = step(paused, createMemoryCommandEvent('evict', 'plan'));
    expect(actions).toMatchObject([{ type: 'store', entries: [{ key: 'plan', value: longSentence }] }]);
    expect(session.turn.status).toBe('paused');
    expect(findSessionEntry(session, 'plan')).toMatchObject({ kind: 'stub' });
  });

  it('archives a log entry under its own key, and closes the gap', () => {
    const empty = createMemory(memorySettings.lkj);
    const memory = ['one', 'two'].reduce((held, text) => writeLog(held, 'think', text, 5), empty);
    const { session, actions } = step(
      createMemorySession(memory),
      createMemoryCommandEvent('evict', 'think_log_001'),
    );
    expect(actions[0]).toMatchObject({ type: 'store', entries: [{ value: 'one', kind: 'think-log' }] });
    expect(JSON.stringify(actions[0])).toContain('archived');
    expect(findSessionEntry(session, 'think_log_001')).toMatchObject({ value: 'two' });
  });

  it('keeps no more stubs than paging does', () => {
    const keys = Array.from({ length: stubsMax + 3 }, (_, index) => `entry_${index}`);
    const memory = createMemoryFromEntries(Object.fromEntries(keys.map((key) => [key, longSentence])));
    const after = replay(
      createMemorySession(memory),
      keys.map((key) => createMemoryCommandEvent('evict', key)),
    );
    expect(after.memory === null ? [] : listStubKeys(after.memory)).toEqual(keys.slice(3));
  });
});

describe('an invalid memory command', () => {
  const pinned = putEntry(createMemoryFromEntries({ plan: longSentence, shed: longSentence }), {
    key: 'plan',
    value: longSentence,
    pinned: true,
    at: 2,
  });
  const stubbed = step(createMemorySession(pinned), createMemoryCommandEvent('evict', 'shed')).session.memory;
  const logged = writeLog(createMemory(memorySettings.lkj), 'think', 'a thought', 1);

  it.each([
    ['there is none', null, createMemoryCommandEvent('pin', 'plan'), 'no working memory'],
    ['it is not there', pinned, createMemoryCommandEvent('pin', 'plans'), 'no plans'],
    ['it is a name of every object', pinned, createMemoryCommandEvent('evict', '__proto__'), 'no __proto__'],
    ['it is pinned already', pinned, createMemoryCommandEvent('pin', 'plan'), 'pinned already'],
    ['it is not pinned', pinned, createMemoryCommandEvent('unpin', 'shed'), 'not pinned'],
    ['it is pinned and is to go', pinned, createMemoryCommandEvent('evict', 'plan'), 'unpin it first'],
    ['it has gone already', stubbed, createMemoryCommandEvent('evict', 'shed'), 'in storage already'],
    [
      'it is a line of a log and is to stay',
      logged,
      createMemoryCommandEvent('pin', 'think_log_001'),
      'part of a log',
    ],
  ])('is refused with a reason when %s, and the session is unchanged', (_, memory, event, reason) => {
    const before = {
      ...createMemorySession(memory),
      settings: { ...createSession({ id: 's', at: 0 }).settings },
    };
    for (const onInvalidEvent of ['ignore', 'refuse', 'reset'] as const) {
      const strict = { ...before, settings: { ...before.settings, onInvalidEvent } };
      const { session, actions, notes } = step(strict, event);
      expect(session).toBe(strict);
      expect(actions).toEqual([{ type: 'wait', until: null }]);
      expect(notes).toMatchObject([{ type: 'refused', reason: expect.stringContaining(reason) }]);
    }
  });

  it('never loses an entry: each is in working memory or in storage', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'moved_to_storage', 'none');
    const commands = fc.array(fc.tuple(fc.constantFrom(...memoryCommands), key), { maxLength: 30 });
    fc.assert(
      fc.property(commands, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), (asked, sizes) => {
        const values = ['a', 'b', 'c', 'd'].map(
          (name, at) => [name, sizes[at] === true ? longSentence : name] as const,
        );
        let session = createMemorySession(createMemoryFromEntries(Object.fromEntries(values)));
        const storedEntries = new Map<string, unknown>();
        for (const [action, name] of asked) {
          const after = step(session, createMemoryCommandEvent(action, name));
          for (const each of after.actions)
            if (each.type === 'store')
              for (const { key: retained, value } of each.entries) storedEntries.set(retained, value);
          session = after.session;
        }
        const memory = session.memory ?? createMemoryFromEntries({});
        for (const [name, value] of values) {
          const held = findEntry(memory, name);
          const isHeld = held !== undefined && held.kind !== 'stub';
          expect(isHeld ? held.value : storedEntries.get(name)).toBe(value);
        }
        expect(countMemoryTokens(memory)).toBe(countLkjTokens(toMemoryObject(memory)));
        expect(new Set(listEntries(memory).map(({ order }) => order)).size).toBe(memory.entries.size);
      }),
    );
  });
});
