import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findLauncher } from '../../src/sandbox/find-launcher.ts';
import { problem, scratch } from './sandboxed.ts';

let folder: ReturnType<typeof scratch>;
beforeEach(() => void (folder = scratch()));
afterEach(() => folder.remove());

/** A program that is called bubblewrap. */
function pretender(script: string): string {
  const file = join(folder.path, 'bwrap');
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

const confines = { cwd: '/usr', writable: [], network: true, env: { A: 'b' } };

describe('findLauncher', () => {
  it.skipIf(problem !== null)('finds a sandbox that holds', async () => {
    const found = await findLauncher();
    expect(found).toMatchObject({ kind: 'bubblewrap', problem: null });
    expect(found.launch(['true'], confines).file).toMatch(/bwrap$/);
  });

  it('says what to do where there is none, and then runs commands as they are', async () => {
    const found = await findLauncher({ places: [join(folder.path, 'missing')] });
    expect(found.kind).toBe('none');
    expect(found.problem).toMatch(/commands run with all your rights/);
    expect(found.launch(['echo', 'a b'], confines)).toEqual({
      file: 'echo',
      args: ['a b'],
      env: { A: 'b' },
    });
  });

  it('says what bubblewrap said when it cannot run', async () => {
    const file = pretender('echo "No permissions to create new namespace" >&2; exit 1');
    const found = await findLauncher({ places: [file] });
    expect(found.kind).toBe('none');
    expect(found.problem).toContain('ended with exit code 1 (No permissions to create new namespace)');
    expect(found.problem).toContain('docs/sandbox.md');
  });

  it('does not believe one that hides nothing', async () => {
    const file = pretender('while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
    expect(await findLauncher({ places: [file] })).toMatchObject({
      kind: 'none',
      problem: expect.stringContaining('hides nothing') as string,
    });
  });

  it('does not wait for one that never answers', async () => {
    const found = await findLauncher({ places: [pretender('exec sleep 1000')], timeoutMs: 50 });
    expect(found).toMatchObject({
      kind: 'none',
      problem: expect.stringContaining('took longer') as string,
    });
  });

  it('never takes one from the search path', async () => {
    pretender('exit 0');
    vi.stubEnv('PATH', `${folder.path}:${process.env['PATH'] ?? ''}`);
    const found = await findLauncher();
    vi.unstubAllEnvs();
    expect(found.launch(['true'], confines).file).not.toContain(folder.path);
  });
});
