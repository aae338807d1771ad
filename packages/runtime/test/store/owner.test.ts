import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { ownerState, thisProcess } from '../../src/store/owner.ts';
import { problem } from '../sandbox/sandboxed.ts';
import { session } from './tale.ts';

const module = new URL('../../src/store/owner.ts', import.meta.url).href;
const namesItself = `const { thisProcess } = await import('${module}'); console.log(thisProcess());`;
const stays = `${namesItself} setInterval(() => undefined, 1_000);`;

const says = `const { ownerState, thisProcess } = await import('${module}');
const tell = (owner) => console.log(owner + '\\n' + ownerState(owner));`;

/** The lines that a script says among processes of its own, where `/proc` tells of these or of nothing. */
function inSandbox(script: string, proc: '--proc' | '--tmpfs'): readonly string[] {
  const args = ['--ro-bind', '/', '/', '--dev', '/dev', proc, '/proc', '--unshare-pid'];
  const { stdout } = spawnSync('bwrap', [...args, process.execPath, '-e', script], { encoding: 'utf8' });
  return stdout.trim().split('\n');
}

function changed(field: string, value: string): string {
  return thisProcess().replace(new RegExp(`${field}=\\S+`), `${field}=${value}`);
}

describe('the owner of a claim', () => {
  it('is one line that a store takes, and the same each time', async () => {
    expect(thisProcess()).toMatch(/^pawl host=\S+ boot=\S+ space=\S+ pid=\d+ start=\S+$/);
    expect(thisProcess().length).toBeLessThanOrEqual(200);
    expect(thisProcess()).toBe(thisProcess());
    await createMemoryStore().create(session(), thisProcess());
  });

  it('is alive as long as the very process is', async () => {
    expect(ownerState(thisProcess())).toBe('alive');
    const child = spawn(process.execPath, ['-e', stays], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const owner = line.toString().trim();
    expect(owner).not.toBe(thisProcess());
    expect(ownerState(owner)).toBe('alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(ownerState(owner)).toBe('gone');
  });

  it.runIf(process.platform === 'linux')('is gone when another process has its number', () => {
    expect(ownerState(changed('start', '1'))).toBe('gone');
    expect(ownerState(changed('boot', '00000000-0000-0000-0000-000000000000'))).toBe('gone');
  });

  it.runIf(process.platform === 'linux')('is gone when it has ended and nobody has noticed', async () => {
    // The shell never waits for the process that becomes of it, since exec makes it another program.
    const script = `"$0" -e "$1" & exec sleep 30`;
    const parent = spawn('sh', ['-c', script, process.execPath, namesItself], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const owner = line.toString().trim();
    await expect.poll(() => ownerState(owner), { timeout: 5_000 }).toBe('gone');
    const state = spawnSync('cat', [`/proc/${/pid=(\d+)/.exec(owner)?.[1]}/stat`]).stdout.toString();
    expect(state).toContain(') Z ');
    parent.kill('SIGKILL');
  });

  it('is unknown on another machine, or in another container', () => {
    expect(ownerState(changed('host', 'elsewhere'))).toBe('unknown');
    expect(ownerState(changed('space', '1'))).toBe('unknown');
  });

  it.skipIf(problem !== null)(
    'is unknown to whoever is outside of its sandbox, though it is alive there',
    () => {
      const [name = '', state] = inSandbox(`${says} tell(thisProcess());`, '--proc');
      expect(state).toBe('alive');
      expect(ownerState(name)).toBe('unknown');
    },
  );

  it.skipIf(problem !== null)('is told by its number alone where the system tells nothing else', () => {
    const other = `thisProcess().replace(/pid=\\d+/, 'pid=2147483647')`;
    const [name, state, , otherState] = inSandbox(`${says} tell(thisProcess()); tell(${other});`, '--tmpfs');
    expect(name).toMatch(/ boot=- space=- pid=\d+ start=-$/);
    expect(state).toBe('alive');
    expect(otherState).toBe('gone');
  });

  it.each([
    '',
    'me',
    'pawl',
    `${thisProcess()} and more`,
    `${thisProcess()}\n`,
    changed('pid', '0'),
    changed('pid', '-1'),
    changed('pid', '4294967297'),
    changed('pid', '9'.repeat(400)),
    changed('host', 'x'.repeat(1_000_000)),
    ' host='.repeat(100_000),
  ])('is unknown where nobody can tell who that is', (owner) => {
    expect(ownerState(owner)).toBe('unknown');
  });
});
