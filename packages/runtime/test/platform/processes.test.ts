import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
  buildKillCommand,
  createProcessTable,
  hasProcessGroups,
  parsePsLine,
  signalProcessGroup,
} from '../../src/platform/processes.ts';
import { getOwnerState, getProcessOwner } from '../../src/store/owner.ts';
import { findDescendants } from '../../src/tools/stream-command.ts';

const bootId = '5A9C4B8E-6B0F-4E57-9C1B-0A4A3F1D2E6C';

/** What the programs of macOS would write. */
function createMacTable(lines: readonly string[]) {
  const asked: string[] = [];
  const table = createProcessTable('darwin', (file, args) => {
    asked.push([file, ...args].join(' '));
    if (file === '/usr/sbin/sysctl') return `${bootId}\n`;
    const pid = args.at(-2) === '-p' ? args.at(-1) : undefined;
    const found = lines.filter((line) => pid === undefined || line.trim().startsWith(`${pid} `));
    return found.length === 0 ? null : `${found.join('\n')}\n`;
  });
  return { table, asked };
}

function refuse(): never {
  throw new Error('ESRCH');
}

const started = 'Tue Nov 17 04:11:02 2026';
const startedAt = String(Date.UTC(2026, 10, 17, 4, 11, 2) / 1_000);

describe('the processes of macOS', () => {
  it('are read from ps', async () => {
    const { table, asked } = createMacTable([
      `    1     0 Ss   ${started} /sbin/launchd`,
      `  501     1 S+   ${started}     node server.js PAWL_COMMAND=abc HOME=/Users/me`,
      `  502   501 Z    ${started} (sh)`,
      'something else',
    ]);
    expect(await table.list()).toEqual([
      expect.objectContaining({ pid: 1, parent: 0, startedAt }),
      expect.objectContaining({
        pid: 501,
        parent: 1,
        startedAt,
        environment: expect.stringContaining('abc') as string,
      }),
    ]);
    expect(asked).toEqual(['/bin/ps -A -E -ww -o pid=,ppid=,stat=,lstart=,command=']);
  });

  it('are parsed with single-digit days, and not with invalid dates', () => {
    expect(parsePsLine(' 7 1 S Sun Nov  1 00:00:00 2026')?.startedAt).toBe(
      String(Date.UTC(2026, 10, 1) / 1_000),
    );
    expect(parsePsLine('')).toBeNull();
    expect(parsePsLine('7 1 S Xyz Abc 99 99:99:99 2026')).toBeNull();
  });

  it('belong to a command by their parents and by its marker', async () => {
    const { table } = createMacTable([
      `    1     0 Ss   ${started} /sbin/launchd`,
      `  501     1 S    ${started} sh -c make`,
      `  502   501 S    ${started} make`,
      `  503     1 S    ${started} node left.js PAWL_COMMAND=abc`,
      `  504     1 S    ${started} node other.js PAWL_COMMAND=xyz`,
    ]);
    expect((await findDescendants(501, 'abc', [], table)).map(({ pid }) => pid)).toEqual([501, 502, 503]);
  });

  it('own what they claim until they end or their id is reused', () => {
    const line = `${process.pid} 1 S ${started}`;
    const { table } = createMacTable([line]);
    const owner = getProcessOwner(table);
    expect(owner).toBe(
      `pawl host=${encodeURIComponent(hostname())} boot=${bootId} space=- pid=${process.pid} start=${startedAt}`,
    );
    expect(getOwnerState(owner, table)).toBe('alive');
    expect(getOwnerState(owner.replace(/start=\d+/, 'start=1'), table)).toBe('gone');
    expect(getOwnerState(owner.replace(/boot=\S+/, `boot=${bootId.replace('5', '6')}`), table)).toBe('gone');
    expect(getOwnerState(owner, createMacTable([line.replace(' S ', ' Z ')]).table)).toBe('gone');
  });
});

describe('the processes of Windows', () => {
  const table = createProcessTable('win32');

  it('are known only by their id', async () => {
    expect(await table.list()).toEqual([]);
    const owner = getProcessOwner(table);
    expect(owner).toMatch(/ boot=- space=- pid=\d+ start=-$/);
    expect(getOwnerState(owner, table)).toBe('alive');
    expect(getOwnerState(owner.replace(/pid=\d+/, 'pid=2147483647'), table)).toBe('gone');
  });

  it("are killed with all their descendants by the system's taskkill", () => {
    expect(hasProcessGroups('win32')).toBe(false);
    expect(buildKillCommand(42, { SYSTEMROOT: String.raw`C:\Windows` })).toEqual({
      file: String.raw`C:\Windows\System32\taskkill.exe`,
      args: ['/pid', '42', '/T', '/F'],
    });
    const calls: unknown[] = [];
    const options = {
      platform: 'win32',
      kill: (...args: unknown[]) => calls.push(args) > 0,
      start: (file: string, args: readonly string[]) => void calls.push([file.split('\\').at(-1), ...args]),
    } as const;
    expect(signalProcessGroup(42, 'SIGTERM', options)).toBe(true);
    expect(calls).toEqual([
      [42, 0],
      ['taskkill.exe', '/pid', '42', '/T', '/F'],
    ]);
  });

  it('are not signaled after they have ended', () => {
    expect(signalProcessGroup(42, 'SIGKILL', { platform: 'win32', kill: refuse, start: refuse })).toBe(false);
  });
});

describe('the processes of Linux and macOS', () => {
  it.each(['linux', 'darwin'] as const)('are signaled by their group on %s', (platform) => {
    const calls: unknown[] = [];
    const kill = (...args: unknown[]): boolean => calls.push(args) > 0;
    expect(hasProcessGroups(platform)).toBe(true);
    expect(signalProcessGroup(42, 'SIGTERM', { platform, kill })).toBe(true);
    expect(calls).toEqual([[-42, 'SIGTERM']]);
  });

  it('are read from the current system', { tags: ['unix'] }, async () => {
    const table = createProcessTable();
    const child = spawn('sleep', ['60'], { env: { ...process.env, PAWL_COMMAND: 'told' } });
    await once(child, 'spawn');
    try {
      const { pid = 0 } = child;
      const found = (await table.list()).find((each) => each.pid === pid);
      expect(found).toMatchObject({
        pid,
        parent: process.pid,
        startedAt: table.readStatus(pid)?.startedAt,
      });
      expect(table.readBootId()).toMatch(/^\S{1,36}$/);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    expect(table.readStatus(child.pid ?? 0)).toBeNull();
  });
});
