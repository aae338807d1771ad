import { toArray, conversationOf } from '@pawl/core';
import { ownerState } from '@pawl/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepRun, lines, makePlace, plainRun, stuckRun, type Place } from './kept-sessions.ts';

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.close());

async function forked(...args: readonly string[]): Promise<string> {
  const [told] = await place.json('fork', ...args);
  return String(told?.['id']);
}

describe('pawl fork', () => {
  it('makes a session that shares the past, and says how to go on with it', async () => {
    await keepRun(place, { ...plainRun, id: 'roof' });
    const { code, out } = await place.pawl('fork', 'roof', '--at', '4');
    expect(code).toBe(0);
    const [made = '', next = ''] = lines(out);
    const [, id = ''] = /^Made ([0-9a-f-]{36}) from event 4 of "roof"\.$/.exec(made) ?? [];
    expect(next).toBe(`Go on with: pawl resume ${id}`);
    const { session, parent, about, owner } = await place.store.open(id);
    const original = await place.store.open('roof', { at: 4 });
    expect(session).toEqual({ ...original.session, id });
    expect([parent, about]).toEqual([{ id: 'roof', at: 4 }, original.about]);
    expect(ownerState(owner)).toBe('alive');
    expect((await place.pawl('show', id)).out).toContain('forked from  roof after event 4');
    expect((await place.store.open('roof')).head).toBe(8);
  });

  it('begins at the last event without --at, and asks for something to say where the user is waited for', async () => {
    await keepRun(place, { ...plainRun, id: 'roof' });
    const { out } = await place.pawl('fork', 'roof');
    expect(out).toMatch(/from event 8 of "roof"\.\nGo on with: pawl resume \S+ "what is to be done next"\n$/);
  });

  it('says something there, and calls off what was under way', async () => {
    await keepRun(place, { ...plainRun, id: 'roof' });
    for (const at of [0, 1, 2, 3, 5, 6, 8]) {
      const id = await forked('roof', '--at', String(at), '--say', 'Use straw instead');
      const { session } = await place.store.open(id);
      expect([at, session.turn.status]).toEqual([at, 'callingModel']);
      const messages = toArray(conversationOf(session));
      expect(messages.at(-1)).toMatchObject({ role: 'user', text: 'Use straw instead' });
      const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
      const results = messages.filter(({ role }) => role === 'tool');
      expect(results).toHaveLength(calls.length);
    }
  });

  it('goes on from nothing that has ended, and from no event that there is not', async () => {
    await keepRun(place, { ...stuckRun, id: 'key' });
    const ended = await place.pawl('fork', 'key');
    expect([ended.code, ended.err]).toEqual([2, expect.stringContaining('the session has ended (halted)')]);
    expect((await place.pawl('fork', 'key', '--at', '99')).err).toContain(
      'has 14 events; --at 99 is beyond its end',
    );
    expect((await place.pawl('fork', 'key', '--at', 'x')).code).toBe(2);
    expect((await place.pawl('fork', 'key', '--say', ' ')).err).toContain('--say needs something to say');
    expect(await place.store.list()).toHaveLength(1);
  });
});
