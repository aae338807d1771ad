import {
  createSession,
  toDurableSession,
  replay,
  step,
  type Event,
  type Json,
  type Session,
} from '@pawl/core';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CreateSessionOptions, SessionParent, SessionPast, Store } from '../../src/store/store.ts';
import { describeClaimsContract } from './claims-contract.ts';
import { describePastContract } from './past-contract.ts';
import { arbitrarySession } from './arbitrary-session.ts';
import {
  listStoredEvents,
  collectStoredEvents,
  createSampleSession,
  createSampleLog,
  appendSampleEvents,
} from './sample-session.ts';

/** What holds of every store. `make` gives a way to open one and the same store, as often as one likes. */
export function describeStoreContract(make: () => () => Store): void {
  describeStoredEvents(make);
  describeSingleWriter(make);
  describeReplayEquality(make);
  describeSnapshots(make);
  describeSessionList(make);
  describeMetadata(make);
  describePastContract(make);
  describeClaimsContract(make);
}

function describeStoredEvents(make: () => () => Store): void {
  it('returns a new session unchanged, with its settings', async () => {
    const open = make();
    const fresh = createSampleSession();
    const { fence, head } = await open().create(fresh, 'me');
    const position = { fence, head: 0 };
    const nothing = { metadata: null, parent: null, replayed: 0 };
    expect(await open().open('a')).toStrictEqual({ session: fresh, ...position, owner: 'me', ...nothing });
    expect(head).toBe(0);
  });

  it('stores events in order and lists those after a number', async () => {
    const store = make()();
    const { events, end } = createSampleLog(createSampleSession(), 9);
    const at = await store.append('a', await store.create(createSampleSession(), 'me'), events, end);
    expect(at.head).toBe(9);
    expect(await listStoredEvents(store, 'a')).toStrictEqual(events);
    expect(await listStoredEvents(store, 'a', 6)).toStrictEqual(events.slice(6));
    expect(await listStoredEvents(store, 'a', 9)).toEqual([]);
    expect(await listStoredEvents(store, 'a', 99)).toEqual([]);
    const numbers = (await collectStoredEvents(store, 'a', 4)).map(({ seq }) => seq);
    expect(numbers).toEqual([5, 6, 7, 8, 9]);
    expect((await store.open('a')).session).toStrictEqual(end);
  });

  it('never stores ephemeral events', async () => {
    const store = make()();
    const { events, end } = createSampleLog(createSampleSession(), 1);
    const shown: Event = { type: 'text-delta', at: 1_001, text: 'he' };
    const streaming = step(end, shown).session;
    const at = await store.append(
      'a',
      await store.create(createSampleSession(), 'me'),
      [...events, shown],
      streaming,
    );
    expect(await store.append('a', at, [shown, shown], streaming)).toEqual(at);
    expect(await listStoredEvents(store, 'a')).toStrictEqual(events);
    expect((await store.open('a')).session).toStrictEqual(end);
  });

  it('continues the numbering of a continued session', async () => {
    const store = make()();
    const { end: started } = createSampleLog(createSampleSession(), 5);
    const at = await store.create(started, 'me');
    expect(at.head).toBe(5);
    const { end } = await appendSampleEvents(store, started, at, 4);
    const kept = await collectStoredEvents(store, 'a');
    expect(kept.map(({ seq }) => seq)).toEqual([6, 7, 8, 9]);
    expect((await store.open('a')).session).toStrictEqual(end);
    expect(await store.verify('a')).toEqual({ ok: true, head: 9 });
  });

  it('rejects an unknown session', async () => {
    const store = make()();
    const missing = expect.objectContaining({ code: 'missing', message: expect.stringContaining('"b"') });
    const at = { fence: 1, head: 0 };
    await expect(store.open('b')).rejects.toEqual(missing);
    await expect(store.claim('b', 'me')).rejects.toEqual(missing);
    await expect(store.append('b', at, [], createSampleSession('b'))).rejects.toEqual(missing);
    await expect(listStoredEvents(store, 'b')).rejects.toEqual(missing);
    await expect(store.snapshot('b')).rejects.toEqual(missing);
    await expect(store.verify('b')).rejects.toEqual(missing);
    expect(await store.remove('b')).toBe(false);
  });
}

function describeSingleWriter(make: () => () => Store): void {
  it('accepts one of two concurrent writers, and tells the other the current position', async () => {
    const open = make();
    const at = await open().create(createSampleSession(), 'me');
    const { events, end } = createSampleLog(createSampleSession(), 2);
    const tried = await Promise.allSettled([open(), open()].map((each) => each.append('a', at, events, end)));
    expect(tried.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(tried.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'conflict', message: expect.stringContaining('event 2, not 0') },
    });
    expect(await listStoredEvents(open(), 'a')).toStrictEqual(events);
  });

  it('rejects a previous owner, and names the current one', async () => {
    const open = make();
    const [mine, theirs] = [open(), open()];
    const started = await appendSampleEvents(
      mine,
      createSampleSession(),
      await mine.create(createSampleSession(), 'me'),
      3,
    );
    const claimed = await theirs.claim('a', 'they');
    expect(claimed.fence).toBeGreaterThan(started.at.fence);
    expect(claimed.head).toBe(3);
    // It is given as it stands.
    expect(await mine.open('a')).toStrictEqual(claimed);
    await expect(appendSampleEvents(mine, started.end, started.at, 1)).rejects.toMatchObject({
      code: 'held',
      message: expect.stringContaining('"they"'),
    });
    const { end } = await appendSampleEvents(theirs, started.end, claimed, 2);
    expect(await mine.open('a')).toMatchObject({ session: end, head: 5, owner: 'they' });
  });

  it('grants only one of several claims made from the same fence', async () => {
    const open = make();
    const { fence } = await open().create(createSampleSession(), 'me');
    const tried = await Promise.allSettled(['one', 'two'].map((owner) => open().claim('a', owner, fence)));
    const { owner, fence: now } = await open().open('a');
    expect(tried.filter(({ status }) => status === 'fulfilled')).toMatchObject([
      { value: { fence: now, head: 0 } },
    ]);
    expect(tried.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'held', message: expect.stringContaining(`${JSON.stringify(owner)}, claim ${now}`) },
    });
    expect(await open().claim('a', 'three', now)).toMatchObject({ head: 0 });
  });

  it('rejects the writer of a removed session even if one with the same id was created since', async () => {
    const store = make()();
    const old = await store.create(createSampleSession(), 'me');
    await store.remove('a');
    await store.create(createSampleSession(), 'they');
    await expect(appendSampleEvents(store, createSampleSession(), old, 1)).rejects.toMatchObject({
      code: 'held',
    });
    expect(await listStoredEvents(store, 'a')).toEqual([]);
  });

  it('does not create a session twice', async () => {
    const store = make()();
    await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      3,
    );
    await expect(store.create(createSampleSession(), 'me')).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.open('a')).toMatchObject({ head: 3 });
  });

  it('stores all events of an append or none', async () => {
    const store = make()();
    const at = await store.create(createSampleSession(), 'me');
    const { events, end } = createSampleLog(createSampleSession(), 3);
    const bad = { ...events[1], at: Number.NaN } as Event;
    await expect(store.append('a', at, [...events, bad], end)).rejects.toMatchObject({ code: 'invalid' });
    await expect(store.append('a', { ...at, head: 1 }, events, end)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await listStoredEvents(store, 'a')).toEqual([]);
    expect(await store.open('a')).toMatchObject({ session: createSampleSession(), head: 0 });
  });
}

function describeReplayEquality(make: () => () => Store): void {
  it('opens the same session as a replay of any events', async () => {
    const open = make();
    await fc.assert(
      fc.asyncProperty(arbitrarySession(160), fc.array(fc.nat(9), { minLength: 1 }), async (work, sizes) => {
        const store = open();
        const { start, log } = work;
        const { id } = start;
        await store.remove(id);
        let end = start;
        let at = await store.create(start, 'me');
        for (let from = 0, turn = 0; from < log.length; turn += 1) {
          const batch = log.slice(from, from + 1 + (sizes[turn % sizes.length] ?? 0));
          end = replay(end, batch);
          at = await store.append(id, at, batch, end);
          if (sizes[turn % sizes.length] === 0) await store.snapshot(id);
          from += batch.length;
        }
        const opened = await open().open(id);
        expect(opened.session).toStrictEqual(replay(start, log));
        expect(opened.session).toStrictEqual(toDurableSession(work.end));
        expect(JSON.stringify(opened.session)).toBe(JSON.stringify(replay(start, log)));
        expect(await store.verify(id)).toEqual({ ok: true, head: log.length });
      }),
      { numRuns: 60 },
    );
  });

  it.each<[string, Json]>([
    ['half of a pair', 'a\ud800b'],
    ['NUL', 'a\0b'],
    ['a field called __proto__', JSON.parse('{"__proto__": {"polluted": true}, "b": 1}') as Json],
    ['a field called constructor', { constructor: 'x', toString: 'y' }],
    ['keys in an order of their own', { z: 1, a: 2, 10: 3 }],
    ['nesting', JSON.parse(`${'['.repeat(1_500)}${']'.repeat(1_500)}`) as Json],
    ['a million characters', 'é'.repeat(1_000_000)],
  ])('returns %s unchanged', async (_, output) => {
    const store = make()();
    const { events, end } = createSampleLog(createSampleSession(), 3);
    const finished: Event = { type: 'tool-finished', at: 1, callId: 'c0', outcome: { ok: true, output } };
    const after = step(end, finished).session;
    await store.append('a', await store.create(createSampleSession(), 'me'), [...events, finished], after);
    await store.snapshot('a');
    expect(JSON.stringify((await listStoredEvents(store, 'a')).at(-1))).toBe(JSON.stringify(finished));
    expect(JSON.stringify((await store.open('a')).session)).toBe(JSON.stringify(after));
  });

  const itself: unknown[] = [];
  itself.push(itself);
  it.each<[string, unknown, string]>([
    ['NaN', { x: Number.NaN }, '"x" is NaN'],
    ['Infinity', [Number.POSITIVE_INFINITY], '"0" is Infinity'],
    ['a date', { when: new Date(0) }, '"when" is not a plain object'],
    ['a function', { f: () => 1 }, '"f" is of type function'],
    ['undefined in a list', [undefined], '"0" is of type undefined'],
    // oxlint-disable-next-line no-sparse-arrays
    ['a list with gaps', [1, , 2], '"output" has gaps'],
    ['a value inside of itself', itself, 'nested more than'],
  ])('rejects %s, which would not survive a round trip', async (_, output, reason) => {
    const store = make()();
    const at = await store.create(createSampleSession(), 'me');
    const event = { type: 'tool-finished', at: 1, callId: 'c0', outcome: { ok: true, output } } as Event;
    await expect(store.append('a', at, [event], createSampleSession())).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(reason),
    });
  });

  it.each(['', 'a\0', '\ud800', 'x'.repeat(201)])('refuses %j for an id and for an owner', async (name) => {
    const store = make()();
    await expect(store.create(createSampleSession(name), 'me')).rejects.toMatchObject({ code: 'invalid' });
    await expect(store.create(createSampleSession(), name)).rejects.toMatchObject({ code: 'invalid' });
    await store.create(createSampleSession(), 'me');
    await expect(store.claim('a', name)).rejects.toMatchObject({ code: 'invalid' });
    expect(await store.open('a')).toMatchObject({ owner: 'me' });
  });

  it('treats an id as an opaque name', async () => {
    const store = make()();
    for (const id of ["'; DROP TABLE sessions; --", '__proto__', '%', '../../x']) {
      const { end } = await appendSampleEvents(
        store,
        createSampleSession(id),
        await store.create(createSampleSession(id), 'me'),
        2,
      );
      expect((await store.open(id)).session).toStrictEqual(end);
    }
    expect(await store.list()).toHaveLength(4);
  });
}

function createEphemeralEvents({ seq }: Session): readonly Event[] {
  const callId = `c${Math.floor((seq - 1) / 3)}`;
  return [
    { type: 'text-delta', at: 1, text: 'he' },
    { type: 'tool-progressed', at: 1, callId: `c${Math.floor((seq - 2) / 3)}`, progress: 'half way' },
    { type: 'tool-progressed', at: 1, callId, progress: 'half way' },
  ];
}

function describeSnapshots(make: () => () => Store): void {
  it('creates snapshots less often as the session grows, so that they cost no more than the events', async () => {
    const store = make()();
    let at = await store.create(createSampleSession(), 'me');
    let end = createSampleSession();
    const made: number[] = [];
    for (let chunk = 1; chunk <= 40; chunk += 1) {
      const more = createSampleLog(end, 100);
      end = more.end;
      at = await store.append('a', at, more.events, end);
      if ((await store.open('a')).replayed === 0) made.push(chunk);
    }
    const gaps = made.map((chunk, index) => chunk - (made[index - 1] ?? 0));
    expect(gaps[0]).toBe(1);
    expect(gaps.at(-1)).toBeGreaterThan(2);
    expect(made.length).toBeLessThan(20);
  });

  it('does not include ephemeral data in a snapshot', async () => {
    const store = make()();
    let at = await store.create(createSampleSession(), 'me');
    let shown = createSampleSession();
    for (const event of createSampleLog(createSampleSession(), 140).events) {
      shown = step(shown, event).session;
      for (const ephemeral of createEphemeralEvents(shown)) shown = step(shown, ephemeral).session;
      at = await store.append('a', at, [event], shown);
      expect((await store.open('a')).session).toStrictEqual(toDurableSession(shown));
    }
    expect((await store.open('a')).replayed).toBeLessThan(140);
  });

  it('replays only the events after the last snapshot', async () => {
    const open = make();
    const store = open();
    const started = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      1_000,
    );
    const opened = await open().open('a');
    expect(opened.session).toStrictEqual(started.end);
    expect(opened.replayed).toBeLessThan(500);
    await store.snapshot('a');
    expect(await open().open('a')).toStrictEqual({ ...opened, replayed: 0 });
    const { end } = await appendSampleEvents(store, started.end, started.at, 7);
    expect(await open().open('a')).toMatchObject({ session: end, replayed: 7 });
  });
}

const createUserMessageEvent = (text: string, automatic: boolean): Event => ({
  type: 'user-message',
  at: 1,
  text,
  automatic,
});

function describeSessionList(make: () => () => Store): void {
  it('lists sessions by last update, newest first', async () => {
    const store = make()();
    const settings = { compact: true };
    await store.create(createSession({ id: 'new', at: 9_000, profile: 'own', settings }), 'me');
    await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      5,
    );
    const common = { owner: 'me', metadata: null, parent: null };
    expect(await store.list()).toEqual([
      {
        ...common,
        id: 'new',
        profile: 'own',
        goal: null,
        status: 'waitingForUser',
        createdAt: 9_000,
        updatedAt: 9_000,
        steps: 0,
        head: 0,
      },
      {
        ...common,
        id: 'a',
        profile: 'pawl',
        goal: 'Do it, a',
        status: 'executingTools',
        createdAt: 1_000,
        updatedAt: 1_004,
        steps: 2,
        head: 5,
      },
    ]);
    expect(await store.list({ limit: 1 })).toHaveLength(1);
  });

  it('uses the beginning of the first user message as the goal', async () => {
    const store = make()();
    const events = [
      createUserMessageEvent('go on', true),
      createUserMessageEvent(`${'x'.repeat(199)}\u{1f600}`, false),
      createUserMessageEvent('then', false),
    ];
    await store.append('a', await store.create(createSampleSession(), 'me'), events, createSampleSession());
    expect((await store.list())[0]?.goal).toBe(`${'x'.repeat(199)}\ufffd`);
  });

  it('uses a steering message as the goal, too', async () => {
    const store = make()();
    const events: readonly Event[] = [
      createUserMessageEvent('go on', true),
      { type: 'steered', at: 2, text: 'Only the shed.' },
    ];
    await store.append('a', await store.create(createSampleSession(), 'me'), events, createSampleSession());
    expect((await store.list())[0]?.goal).toBe('Only the shed.');
  });

  it('removes a session with all its data, and no other', async () => {
    const store = make()();
    const at = await store.create(createSampleSession(), 'me');
    await appendSampleEvents(store, createSampleSession(), at, 150);
    const { end } = await appendSampleEvents(
      store,
      createSampleSession('b'),
      await store.create(createSampleSession('b'), 'me'),
      3,
    );
    expect(await store.remove('a')).toBe(true);
    await expect(store.open('a')).rejects.toMatchObject({ code: 'missing' });
    await expect(appendSampleEvents(store, createSampleSession(), at, 1)).rejects.toMatchObject({
      code: 'missing',
    });
    expect((await store.list()).map(({ id }) => id)).toEqual(['b']);
    expect((await store.open('b')).session).toStrictEqual(end);
    await store.create(createSampleSession(), 'me');
    expect(await store.open('a')).toMatchObject({ session: createSampleSession(), head: 0, replayed: 0 });
  });
}

function describeMetadata(make: () => () => Store): void {
  it('returns the metadata of a session throughout its life', async () => {
    const open = make();
    const metadata = JSON.parse('{"dir": "/x\\u0000\\ud800", "__proto__": {"a": [null, 1.5]}}') as Json;
    const at = await open().create(createSampleSession(), 'me', { metadata, createdAt: 1_234.5 });
    await appendSampleEvents(open(), createSampleSession(), at, 3);
    await open().claim('a', 'they');
    const found = [await open().open('a'), (await open().list())[0]];
    expect(found.map((each) => JSON.stringify(each?.metadata))).toEqual([
      JSON.stringify(metadata),
      JSON.stringify(metadata),
    ]);
    expect(found[1]).toMatchObject({ owner: 'they', head: 3, createdAt: 1_234.5, updatedAt: 1_002 });
  });

  it.each<[string, CreateSessionOptions, string]>([
    ['what JSON would change', { metadata: { x: Number.NaN } }, '"x" is NaN'],
    ['more about it than belongs in a list', { metadata: 'x'.repeat(10_000) }, '10002 characters'],
    ['a time that is none', { createdAt: Number.NaN }, 'time of creation (NaN)'],
    ['half an event', { past: createEmptyPast({ id: 'b', at: 1.5 }) }, '(1.5)'],
    ['a parent without a name', { past: createEmptyPast({ id: '', at: 1 }) }, '1 to 200 characters'],
  ])('rejects %s on creation, and creates no session', async (_, options, reason) => {
    const store = make()();
    await expect(store.create(createSampleSession(), 'me', options)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(reason),
    });
    expect(await store.list()).toEqual([]);
  });
}

function createEmptyPast(parent: SessionParent): SessionPast {
  return { events: [], after: createSampleSession(), parent };
}
