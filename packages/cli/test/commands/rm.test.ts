import { thisProcess } from '@pawl/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeSessions } from '../../src/commands/rm.ts';
import { atTerminal } from '../captured-io.ts';
import { keepRun, makePlace, plainRun, stuckRun, type Place } from './kept-sessions.ts';

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.close());

const left = async (): Promise<readonly string[]> =>
  (await place.store.list()).map(({ id }) => id).toSorted();

describe('pawl rm', () => {
  it('removes what is named, once it was agreed to', async () => {
    for (const id of ['one', 'two', 'three']) await keepRun(place, { ...plainRun, id });
    const unsure = await place.pawl('rm', 'one');
    expect([unsure.code, unsure.err]).toEqual([
      2,
      'pawl: This removes 1 session for good, and nobody is there to ask. Say --yes if you mean it.\n',
    ]);
    expect(await left()).toEqual(['one', 'three', 'two']);
    expect((await place.pawl('rm', 'one', 'tw', '--yes')).out).toBe('Removed one.\nRemoved two.\n');
    expect(await place.json('rm', 'last', '--yes')).toEqual([{ id: 'three', removed: true }]);
    expect(await left()).toEqual([]);
  });

  it('asks at a terminal, and takes anything but yes for no', async () => {
    await keepRun(place, { ...plainRun, id: 'one' });
    const flags = { dir: place.dir, store: place.file };
    const refusing = atTerminal('perhaps');
    expect(await removeSessions(['one'], flags, refusing.io)).toBe(1);
    expect(refusing.err()).toContain('one  Mend the roof');
    expect(refusing.err()).toContain('Remove 1 session for good? [y/N]');
    expect(await left()).toEqual(['one']);
    expect(await removeSessions(['one'], flags, atTerminal('y').io)).toBe(0);
    expect(await left()).toEqual([]);
  });

  it('removes nothing at all if one of them is not there', async () => {
    await keepRun(place, { ...plainRun, id: 'one' });
    expect((await place.pawl('rm', 'one', 'missing', '--yes')).code).toBe(2);
    expect(await left()).toEqual(['one']);
  });

  it('leaves a session alone that runs now, unless it is forced', async () => {
    await keepRun(place, { ...plainRun, id: 'busy', owner: thisProcess() });
    await keepRun(place, { ...stuckRun, id: 'ended', owner: thisProcess() });
    const { code, err } = await place.pawl('rm', 'ended', 'busy', '--yes');
    expect([code, err]).toEqual([2, expect.stringContaining('"busy" is running now')]);
    expect(await left()).toEqual(['busy', 'ended']);
    expect((await place.pawl('rm', 'ended', '--yes')).code).toBe(0);
    expect((await place.pawl('rm', 'busy', '--yes', '--force')).code).toBe(0);
    expect(await left()).toEqual([]);
  });
});

const pruned = async (...args: readonly string[]): Promise<readonly unknown[]> =>
  (await place.json('prune', '--dry-run', ...args)).map(({ id }) => id);

describe('pawl prune', () => {
  const day = 86_400_000;
  const daysAgo = (days: number): number => Date.now() - days * day;

  beforeEach(async () => {
    for (const days of [1, 10, 40, 50])
      await keepRun(place, { ...plainRun, id: `days-${days}`, start: daysAgo(days) });
    await keepRun(place, { ...plainRun, id: 'elsewhere', start: daysAgo(90), about: { dir: '/' } });
    await keepRun(place, { ...plainRun, id: 'busy', start: daysAgo(60), owner: thisProcess() });
  });

  it('removes those of this folder that are older than 30 days, and never one that runs now', async () => {
    expect((await place.pawl('prune', '--yes')).code).toBe(0);
    expect(await left()).toEqual(['busy', 'days-1', 'days-10', 'elsewhere']);
  });

  it('goes by age, by number, or by both, in this folder or in all', async () => {
    expect(await pruned('--older-than', '45d')).toEqual(['days-50']);
    expect(await pruned('--older-than', '1w')).toEqual(['days-10', 'days-40', 'days-50']);
    expect(await pruned('--keep', '3')).toEqual(['days-50']);
    expect(await pruned('--keep', '3', '--older-than', '1h')).toEqual(['days-50']);
    expect(await pruned('--all')).toEqual(['days-40', 'days-50', 'elsewhere']);
    expect(await left()).toHaveLength(6);
  });

  it('tells what it would remove, and asks before it does', async () => {
    expect((await place.pawl('prune', '--dry-run', '--older-than', '45d')).out).toMatch(
      /^Would remove days-50 {2}\d{4}.* {2}Mend the roof\n$/,
    );
    expect((await place.pawl('prune')).err).toContain('Say --yes if you mean it');
    expect((await place.pawl('prune', '--older-than', '400d')).err).toBe(
      'Nothing to remove: 5 sessions looked at.\n',
    );
    expect(await left()).toHaveLength(6);
  });

  it('takes no span that it does not understand', async () => {
    for (const span of ['soon', '-3d', '3 days', '']) {
      const { code, err } = await place.pawl('prune', `--older-than=${span}`);
      expect([code, err]).toEqual([2, expect.stringContaining('such as 90m, 12h, 30d or 4w')]);
    }
  });
});
