import {
  getConversation,
  replay,
  step,
  getUnpausedTurn,
  type Event,
  type Session,
  toItemArray,
  listPendingActions,
} from '@pawl/core';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { forkStoredSession } from '../../src/store/fork.ts';
import { computeStateHash } from '../../src/store/store-event-log.ts';
import type { Store } from '../../src/store/store.ts';
import { arbitrarySession, type RandomSession } from './arbitrary-session.ts';
import {
  listStoredEvents,
  collectStoredEvents,
  createSampleSession,
  createSampleLog,
  appendSampleEvents,
} from './sample-session.ts';

/** What holds of every store about how a session was before, and about going on from there. */
export function describePastContract(make: () => () => Store): void {
  describeOpeningPast(make);
  describeStartingWithPast(make);
  describeForkPoints(make);
  describeForkInterruptions(make);
}

const now = 5_000_000;

function describeOpeningPast(make: () => () => Store): void {
  it('opens the session as of any of its events', async () => {
    const store = make()();
    await fc.assert(
      fc.asyncProperty(arbitrarySession(40), fc.nat(40), async ({ start, log }, snapshotAt) => {
        await store.remove(start.id);
        let at = await store.create(start, 'me');
        let then = start;
        for (const [index, event] of log.entries()) {
          then = step(then, event).session;
          at = await store.append(start.id, at, [event], then);
          if (index === snapshotAt) await store.snapshot(start.id);
        }
        let expected = start;
        for (let number = 0; number <= log.length; number += 1) {
          const opened = await store.open(start.id, { at: number });
          expect(opened.session).toStrictEqual(expected);
          expect(opened).toMatchObject({ head: number, fence: at.fence });
          // Not all the way where a snapshot is nearer.
          const isAfterSnapshot = snapshotAt < log.length && number > snapshotAt;
          expect(opened.replayed).toBe(isAfterSnapshot ? number - snapshotAt - 1 : number);
          expected = replay(expected, log.slice(number, number + 1));
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each([4, -1, 1.5, Number.NaN, Infinity])(
    'reports the available events if event %d is requested',
    async (at) => {
      const store = make()();
      await appendSampleEvents(
        store,
        createSampleSession(),
        await store.create(createSampleSession(), 'me'),
        3,
      );
      await expect(store.open('a', { at })).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining(`it has events 0 to 3; event ${at} was requested`),
      });
      expect((await store.list())[0]?.status).not.toBe('damaged');
    },
  );

  it('has no history before the initial state of a continued session', async () => {
    const store = make()();
    const { end: begun } = createSampleLog(createSampleSession(), 5);
    await appendSampleEvents(store, begun, await store.create(begun, 'me'), 2);
    for (const at of [0, 5]) expect(await store.open('a', { at })).toMatchObject({ session: begun, head: 5 });
    expect(await store.open('a', { at: 6 })).toMatchObject({ head: 6, replayed: 1 });
    await expect(store.open('a', { at: 4 })).rejects.toMatchObject({ code: 'invalid' });
  });

  it('rejects an append to a past state', async () => {
    const store = make()();
    await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      5,
    );
    const { session: then, ...at } = await store.open('a', { at: 2 });
    await expect(appendSampleEvents(store, then, at, 1)).rejects.toMatchObject({ code: 'conflict' });
  });
}

function describeStartingWithPast(make: () => () => Store): void {
  it('stores a session together with its past, or not at all', async () => {
    const store = make()();
    const { events, end } = createSampleLog(createSampleSession('b'), 250);
    const parent = { id: 'a', at: 250 };
    const bad = [...events, { ...events[0], at: Number.NaN } as Event];
    const unfit = { past: { events: bad, after: end, parent } };
    await expect(store.create(createSampleSession('b'), 'me', unfit)).rejects.toMatchObject({
      code: 'invalid',
    });
    expect(await store.list()).toEqual([]);

    const at = await store.create(createSampleSession('b'), 'me', {
      past: { events: [...events, { type: 'text-delta', at: 9, text: 'only shown' }], after: end, parent },
    });
    expect(await store.verify('b')).toEqual({ ok: true, head: 250 });
    // So long a past comes with a snapshot.
    expect(await store.open('b')).toMatchObject({ ...at, session: end, parent, replayed: 0 });
    expect(await listStoredEvents(store, 'b')).toStrictEqual(events);
    const more = await appendSampleEvents(store, end, at, 2);
    expect((await store.open('b')).session).toStrictEqual(more.end);
    const again = { past: { events, after: end, parent } };
    await expect(store.create(createSampleSession('b'), 'me', again)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await store.open('b')).toMatchObject({ head: 252 });
  });
}

function listRunningCalls({ turn }: Session): readonly string[] {
  const held = getUnpausedTurn(turn);
  if (held.status !== 'executingTools') return [];
  return held.executions.filter(({ status }) => status === 'running').map(({ call }) => call.id);
}

async function storeWork(store: Store, { start, log, end }: RandomSession): Promise<void> {
  await store.remove(start.id);
  await store.append(start.id, await store.create(start, 'me'), log, end);
}

function describeForkPoints(make: () => () => Store): void {
  it('forks after any event, and the remaining events lead to the same state', async () => {
    const store = make()();
    let settled = 0;
    await fc.assert(
      fc.asyncProperty(arbitrarySession(40), async (work) => {
        const { start, log } = work;
        await storeWork(store, work);
        let then = start;
        for (let at = 0; at <= log.length; at += 1) {
          await store.remove('fork');
          const { head } = await forkStoredSession(store, start.id, { at, newId: 'fork', owner: 'me', now });
          const forked = await store.open('fork');
          const running = listRunningCalls(then);
          expect(head).toBe(at + running.length);
          expect(listRunningCalls(forked.session)).toEqual([]);
          expect(await store.verify('fork')).toEqual({ ok: true, head });
          expect((await listStoredEvents(store, 'fork')).slice(0, at)).toStrictEqual(log.slice(0, at));
          if (running.length > 0) settled += 1;
          else {
            expect(forked.session).toStrictEqual({ ...then, id: 'fork' });
            const end = replay(forked.session, log.slice(at));
            expect(computeStateHash({ ...end, id: start.id })).toBe(computeStateHash(work.end));
          }
          then = replay(then, log.slice(at, at + 1));
        }
        expect(await listStoredEvents(store, start.id)).toStrictEqual(log);
      }),
      { numRuns: 20 },
    );
    expect(settled).toBeGreaterThan(0);
  });

  it('forks a fork, with the same numbers, settings and metadata', async () => {
    const store = make()();
    const metadata = { dir: '/work', model: 'm' };
    await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me', { metadata }),
      20,
    );
    const first = await forkStoredSession(store, 'a', { at: 10, newId: 'b', owner: 'me', now });
    expect((await store.list())[0]).toMatchObject({ id: 'b', updatedAt: now });
    const { session: begun } = await store.open('b');
    await appendSampleEvents(store, begun, first, 4);
    await forkStoredSession(store, 'b', { at: 12, newId: 'c', owner: 'they', now: now + 1 });
    const listed = await store.list();
    const [b, c] = ['b', 'c'].map((id) => listed.find((each) => each.id === id));
    expect(listed[0]).toBe(c);
    expect(b).toMatchObject({
      id: 'b',
      metadata,
      parent: { id: 'a', at: 10 },
      createdAt: now,
      head: 14,
    });
    expect(c).toMatchObject({
      id: 'c',
      metadata,
      parent: { id: 'b', at: 12 },
      owner: 'they',
      createdAt: now + 1,
      updatedAt: now + 1,
      goal: 'Do it, a',
      status: 'callingModel',
      head: 13,
      steps: 4,
    });
    expect((await collectStoredEvents(store, 'c')).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 13 }, (_, i) => i + 1),
    );
    expect((await store.open('c', { at: 10 })).session).toStrictEqual({
      ...(await store.open('a', { at: 10 })).session,
      id: 'c',
    });
    expect(await store.open('a')).toMatchObject({ head: 20, parent: null, owner: 'me' });
  });

  it('forks a continued session', async () => {
    const store = make()();
    const { end: begun } = createSampleLog(createSampleSession(), 5);
    await appendSampleEvents(store, begun, await store.create(begun, 'me'), 4);
    await forkStoredSession(store, 'a', { at: 8, newId: 'b', owner: 'me', now });
    await forkStoredSession(store, 'a', { at: 0, newId: 'c', owner: 'me', now });
    expect((await collectStoredEvents(store, 'b')).map(({ seq }) => seq)).toEqual([6, 7, 8]);
    expect(await store.open('c')).toMatchObject({
      session: { ...begun, id: 'c' },
      parent: { id: 'a', at: 5 },
    });
  });
}

const createShellCall = (id: string): { id: string; tool: string; args: null } => ({
  id,
  tool: 'shell',
  args: null,
});

function describeForkInterruptions(make: () => () => Store): void {
  it('reports running calls as interrupted in the fork, and does not restart them', async () => {
    const store = make()();
    const log: readonly Event[] = [
      { type: 'user-message', at: 1, text: 'go' },
      {
        type: 'model-replied',
        at: 2,
        text: '',
        calls: [createShellCall('one'), createShellCall('two'), createShellCall('three')],
      },
      { type: 'tool-started', at: 3, callId: 'one' },
      { type: 'tool-started', at: 4, callId: 'two' },
      { type: 'tool-finished', at: 5, callId: 'one', outcome: { ok: true, output: 1 } },
      { type: 'pause-requested', at: 6, reason: 'lunch' },
    ];
    await store.append(
      'a',
      await store.create(createSampleSession(), 'me'),
      log,
      replay(createSampleSession(), log),
    );
    for (const at of [5, 6]) {
      const id = `at ${at}`;
      await forkStoredSession(store, 'a', { at, newId: id, owner: 'me', now });
      const { session: forked } = await store.open(id);
      const resumed = replay(forked, at === 6 ? [{ type: 'resume-requested', at: now }] : []);
      expect(listPendingActions(resumed)).toMatchObject([{ type: 'run-tools', calls: [{ id: 'three' }] }]);
      const rest: Event = {
        type: 'tool-finished',
        at: now,
        callId: 'three',
        outcome: { ok: true, output: 3 },
      };
      const toolResults = toItemArray(getConversation(replay(resumed, [rest]))).filter(
        ({ role }) => role === 'tool',
      );
      expect(toolResults).toMatchObject([
        { outcome: { ok: true, output: 1 } },
        { outcome: { error: { kind: 'interrupted', message: expect.stringContaining('was forked') } } },
        { outcome: { ok: true, output: 3 } },
      ]);
    }
    expect(listRunningCalls((await store.open('a')).session)).toEqual(['two']);
  });

  it.each([
    ['an event that is not there', 'a', { at: 4 }, 'invalid'],
    ['a session that is not there', 'x', { at: 0 }, 'missing'],
    ['an id that is taken', 'a', { newId: 'a' }, 'conflict'],
    ['an id that is none', 'a', { newId: '' }, 'invalid'],
    ['a time that is none', 'a', { now: Number.NaN }, 'invalid'],
  ])('rejects a fork of %s', async (_, id, options, code) => {
    const store = make()();
    await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      3,
    );
    const forking = forkStoredSession(store, id, { at: 2, newId: 'b', owner: 'me', now, ...options });
    await expect(forking).rejects.toMatchObject({ code });
    expect((await store.list()).map((each) => each.id)).toEqual(['a']);
  });
}
