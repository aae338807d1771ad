import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { getOwnerState, getProcessOwner } from '../../src/store/owner.ts';
import { createSampleSession } from './sample-session.ts';

const module = new URL('../../src/store/owner.ts', import.meta.url).href;
const printOwnerScript = `const { getProcessOwner } = await import('${module}'); console.log(getProcessOwner());`;
const stayAliveScript = `${printOwnerScript} setInterval(() => undefined, 1_000);`;

const printStateScript = `const { getOwnerState, getProcessOwner } = await import('${module}');
const tell = (owner) => console.log(owner + '\\n' + getOwnerState(owner));`;

/** The lines that a script says among processes of its own, where `/proc` tells of these or of nothing. */
function runInOwnProcesses(script: string, proc: '--proc' | '--tmpfs'): readonly string[] {
  const args = ['--ro-bind', '/', '/', '--dev', '/dev', proc, '/proc', '--unshare-pid'];
  const { stdout } = spawnSync('bwrap', [...args, process.execPath, '-e', script], { encoding: 'utf8' });
  return stdout.trim().split('\n');
}

function replaceOwnerField(field: string, value: string): string {
  return getProcessOwner().replace(new RegExp(`${field}=\\S+`), `${field}=${value}`);
}

describe('the owner of a claim', () => {
  it('is one line that a store accepts, and stable', async () => {
    expect(getProcessOwner()).toMatch(/^pawl host=\S+ boot=\S+ space=\S+ pid=\d+ start=\S+$/);
    expect(getProcessOwner().length).toBeLessThanOrEqual(200);
    expect(getProcessOwner()).toBe(getProcessOwner());
    await createMemoryStore().create(createSampleSession(), getProcessOwner());
  });

  it('is alive as long as its process is', async () => {
    expect(getOwnerState(getProcessOwner())).toBe('alive');
    const child = spawn(process.execPath, ['-e', stayAliveScript], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const owner = line.toString().trim();
    expect(owner).not.toBe(getProcessOwner());
    expect(getOwnerState(owner)).toBe('alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(getOwnerState(owner)).toBe('gone');
  });

  it('is gone if another process has its pid', { tags: ['linux'] }, () => {
    expect(getOwnerState(replaceOwnerField('start', '1'))).toBe('gone');
    expect(getOwnerState(replaceOwnerField('boot', '00000000-0000-0000-0000-000000000000'))).toBe('gone');
  });

  it('is gone if it is a zombie', { tags: ['linux'] }, async () => {
    // The shell never waits for the process that becomes of it, since exec makes it another program.
    const script = `"$0" -e "$1" & exec sleep 600`;
    const parent = spawn('sh', ['-c', script, process.execPath, printOwnerScript], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const owner = line.toString().trim();
    await expect.poll(() => getOwnerState(owner)).toBe('gone');
    const state = spawnSync('cat', [`/proc/${/pid=(\d+)/.exec(owner)?.[1]}/stat`]).stdout.toString();
    expect(state).toContain(') Z ');
    parent.kill('SIGKILL');
  });

  it('is unknown on another machine, or in another container', () => {
    expect(getOwnerState(replaceOwnerField('host', 'elsewhere'))).toBe('unknown');
    expect(getOwnerState(replaceOwnerField('space', '1'))).toBe('unknown');
  });

  it('is unknown outside of its sandbox, although it is alive there', { tags: ['bubblewrap'] }, () => {
    const [name = '', state] = runInOwnProcesses(`${printStateScript} tell(getProcessOwner());`, '--proc');
    expect(state).toBe('alive');
    expect(getOwnerState(name)).toBe('unknown');
  });

  it('is identified by its pid alone if the system provides nothing else', { tags: ['bubblewrap'] }, () => {
    const other = `getProcessOwner().replace(/pid=\\d+/, 'pid=2147483647')`;
    const [name, state, , otherState] = runInOwnProcesses(
      `${printStateScript} tell(getProcessOwner()); tell(${other});`,
      '--tmpfs',
    );
    expect(name).toMatch(/ boot=- space=- pid=\d+ start=-$/);
    expect(state).toBe('alive');
    expect(otherState).toBe('gone');
  });

  it.each([
    '',
    'me',
    'pawl',
    `${getProcessOwner()} and more`,
    `${getProcessOwner()}\n`,
    replaceOwnerField('pid', '0'),
    replaceOwnerField('pid', '-1'),
    replaceOwnerField('pid', '4294967297'),
    replaceOwnerField('pid', '9'.repeat(400)),
    replaceOwnerField('host', 'x'.repeat(1_000_000)),
    ' host='.repeat(100_000),
  ])('is unknown if it has another format', (owner) => {
    expect(getOwnerState(owner)).toBe('unknown');
  });
});
