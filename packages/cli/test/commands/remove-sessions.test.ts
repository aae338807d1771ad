import { getProcessOwner } from '@pawl/runtime/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeSessions } from '../../src/commands/rm/action.ts';
import { captureTerminalIo } from '../capture-io.ts';
import {
  saveRun,
  createTestWorkspace,
  successfulRun,
  stuckRun,
  type TestWorkspace,
} from './test-workspace.ts';

let testWorkspace: TestWorkspace;
beforeEach(() => {
  testWorkspace = createTestWorkspace();
});
afterEach(() => testWorkspace.close());

const listRemainingIds = async (): Promise<readonly string[]> =>
  (await testWorkspace.store.list()).map(({ id }) => id).toSorted();

describe('pawl rm', () => {
  it('removes the named sessions after confirmation', async () => {
    for (const id of ['one', 'two', 'three']) await saveRun(testWorkspace, { ...successfulRun, id });
    const unconfirmed = await testWorkspace.pawl('rm', 'one');
    expect([unconfirmed.code, unconfirmed.err]).toEqual([
      2,
      'pawl: This permanently removes 1 session, and there is no terminal to confirm on. Use --yes to confirm.\n',
    ]);
    expect(await listRemainingIds()).toEqual(['one', 'three', 'two']);
    expect((await testWorkspace.pawl('rm', 'one', 'tw', '--yes')).out).toBe('Removed one.\nRemoved two.\n');
    expect(await testWorkspace.json('rm', 'last', '--yes')).toEqual([{ id: 'three', removed: true }]);
    expect(await listRemainingIds()).toEqual([]);
  });

  it('asks at a terminal, and treats anything but yes as no', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'one' });
    const flags = { dir: testWorkspace.dir, store: testWorkspace.file };
    const refusing = captureTerminalIo('perhaps');
    expect(await removeSessions(['one'], flags, refusing.io)).toBe(1);
    expect(refusing.err()).toContain('one  Mend the roof');
    expect(refusing.err()).toContain('Remove 1 session permanently? [y/N]');
    expect(await listRemainingIds()).toEqual(['one']);
    expect(await removeSessions(['one'], flags, captureTerminalIo('y').io)).toBe(0);
    expect(await listRemainingIds()).toEqual([]);
  });

  it('removes nothing if one session does not exist', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'one' });
    expect((await testWorkspace.pawl('rm', 'one', 'missing', '--yes')).code).toBe(2);
    expect(await listRemainingIds()).toEqual(['one']);
  });

  it('does not remove a running session without --force', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'busy', owner: getProcessOwner() });
    await saveRun(testWorkspace, { ...stuckRun, id: 'ended', owner: getProcessOwner() });
    const { code, err } = await testWorkspace.pawl('rm', 'ended', 'busy', '--yes');
    expect([code, err]).toEqual([2, expect.stringContaining('"busy" is running')]);
    expect(await listRemainingIds()).toEqual(['busy', 'ended']);
    expect((await testWorkspace.pawl('rm', 'ended', '--yes')).code).toBe(0);
    expect((await testWorkspace.pawl('rm', 'busy', '--yes', '--force')).code).toBe(0);
    expect(await listRemainingIds()).toEqual([]);
  });
});

const listPrunableIds = async (...args: readonly string[]): Promise<readonly unknown[]> =>
  (await testWorkspace.json('prune', '--dry-run', ...args)).map(({ id }) => id);

describe('pawl prune', () => {
  const day = 86_400_000;
  const daysAgo = (days: number): number => Date.now() - days * day;

  beforeEach(async () => {
    for (const days of [1, 10, 40, 50])
      await saveRun(testWorkspace, { ...successfulRun, id: `days-${days}`, start: daysAgo(days) });
    await saveRun(testWorkspace, {
      ...successfulRun,
      id: 'elsewhere',
      start: daysAgo(90),
      about: { dir: '/' },
    });
    await saveRun(testWorkspace, {
      ...successfulRun,
      id: 'busy',
      start: daysAgo(60),
      owner: getProcessOwner(),
    });
  });

  it('removes sessions of this folder older than 30 days, but no running one', async () => {
    expect((await testWorkspace.pawl('prune', '--yes')).code).toBe(0);
    expect(await listRemainingIds()).toEqual(['busy', 'days-1', 'days-10', 'elsewhere']);
  });

  it('filters by age, by count, or by both, in this folder or in all', async () => {
    expect(await listPrunableIds('--older-than', '45d')).toEqual(['days-50']);
    expect(await listPrunableIds('--older-than', '1w')).toEqual(['days-10', 'days-40', 'days-50']);
    expect(await listPrunableIds('--keep', '3')).toEqual(['days-50']);
    expect(await listPrunableIds('--keep', '3', '--older-than', '1h')).toEqual(['days-50']);
    expect(await listPrunableIds('--all')).toEqual(['days-40', 'days-50', 'elsewhere']);
    expect(await listRemainingIds()).toHaveLength(6);
  });

  it('lists what it would remove, and asks before it removes', async () => {
    expect((await testWorkspace.pawl('prune', '--dry-run', '--older-than', '45d')).out).toMatch(
      /^Would remove days-50 {2}\d{4}.* {2}Mend the roof\n$/,
    );
    expect((await testWorkspace.pawl('prune')).err).toContain('Use --yes to confirm');
    expect((await testWorkspace.pawl('prune', '--older-than', '400d')).err).toBe(
      'Nothing to remove: 5 sessions checked.\n',
    );
    expect(await listRemainingIds()).toHaveLength(6);
  });

  it('rejects an invalid time span', async () => {
    for (const span of ['soon', '-3d', '3 days', '']) {
      const { code, err } = await testWorkspace.pawl('prune', `--older-than=${span}`);
      expect([code, err]).toEqual([2, expect.stringContaining('such as 90m, 12h, 30d or 4w')]);
    }
  });
});
