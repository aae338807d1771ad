import { expect, it } from 'vitest';
import { forkStoredSession } from '../../src/store/fork.ts';
import type { Store } from '../../src/store/store.ts';
import { createSampleSession, appendSampleEvents } from './sample-session.ts';

export function describeClaimsContract(make: () => () => Store): void {
  it('lists who has claimed a session and when', async () => {
    const open = make();
    const [store, before] = [open(), Date.now()];
    await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'first'),
      3,
    );
    await store.claim('a', 'second');
    await expect(store.claim('a', 'too late', -1)).rejects.toMatchObject({ code: 'held' });
    const claims = await open().claims('a');
    const { session: now } = await store.open('a');
    expect(claims).toMatchObject([
      { owner: 'first', head: 0, status: 'waitingForUser' },
      { owner: 'second', head: 3, status: now.turn.status },
    ]);
    // The clock of the store may not be the one of this machine.
    for (const { at } of claims) {
      expect(at).toBeGreaterThan(before - 60_000);
      expect(at).toBeLessThan(Date.now() + 60_000);
    }
  });

  it('keeps the last hundred claims of each session, and none of a removed one', async () => {
    const store = make()();
    await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'first'),
      3,
    );
    for (let time = 0; time < 105; time += 1) await store.claim('a', `owner ${time}`);
    const claims = await store.claims('a');
    expect(claims.map(({ owner }) => owner)).toEqual(
      Array.from({ length: 100 }, (_, index) => `owner ${index + 5}`),
    );
    await forkStoredSession(store, 'a', { at: 2, newId: 'b', owner: 'third', now: 1 });
    expect(await store.claims('b')).toMatchObject([{ owner: 'third', head: 2 }]);
    await store.remove('a');
    expect(await store.claims('a')).toEqual([]);
    expect(await store.claims('nobody')).toEqual([]);
    await store.create(createSampleSession(), 'next');
    expect(await store.claims('a')).toMatchObject([{ owner: 'next' }]);
  });
}
