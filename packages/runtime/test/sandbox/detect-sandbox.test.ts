import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { detectSandbox } from '../../src/sandbox/detect-sandbox.ts';
import { createScratchFolder } from './run-in-sandbox.ts';

let folder: ReturnType<typeof createScratchFolder>;
beforeEach(() => void (folder = createScratchFolder()));
afterEach(() => folder.remove());

/** A program that is called bubblewrap. */
function createFakeBubblewrap(script: string): string {
  const file = join(folder.path, 'bwrap');
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

const testPolicy = { cwd: '/usr', writable: [], network: true, env: { A: 'b' } };

describe('detectSandbox', () => {
  it('detects a sandbox that isolates', { tags: ['bubblewrap'] }, async () => {
    const found = await detectSandbox({ timeoutMs: 120_000 });
    expect(found).toMatchObject({ kind: 'bubblewrap', problem: null });
    expect(found.launch(['true'], testPolicy).file).toMatch(/bwrap$/);
  });

  it('explains what to do if there is none, and then runs commands without a sandbox', async () => {
    const found = await detectSandbox({ paths: [join(folder.path, 'missing')], platform: 'linux' });
    expect(found.kind).toBe('none');
    expect(found.problem).toMatch(/commands run with all your permissions/);
    expect(found.launch(['echo', 'a b'], testPolicy)).toEqual({
      file: 'echo',
      args: ['a b'],
      env: { A: 'b' },
    });
  });

  it.each([
    ['darwin', 'macOS'],
    ['win32', 'Windows'],
  ] as const)('says that there is none on %s, without a look at what lies there', async (platform, name) => {
    const found = await detectSandbox({ paths: [createFakeBubblewrap('exit 0')], platform });
    expect(found).toMatchObject({
      kind: 'none',
      problem: `The sandbox is not supported on ${name}, so commands run with all your permissions.`,
    });
  });

  it('reports the output of bubblewrap if it cannot run', { tags: ['unix'] }, async () => {
    const file = createFakeBubblewrap('echo "No permissions to create new namespace" >&2; exit 1');
    const found = await detectSandbox({ paths: [file], platform: 'linux', timeoutMs: 120_000 });
    expect(found.kind).toBe('none');
    expect(found.problem).toContain('ended with exit code 1 (No permissions to create new namespace)');
    expect(found.problem).toContain('docs/sandbox.md');
  });

  it('rejects one that hides nothing', { tags: ['unix'] }, async () => {
    const file = createFakeBubblewrap('while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
    expect(await detectSandbox({ paths: [file], platform: 'linux', timeoutMs: 120_000 })).toMatchObject({
      kind: 'none',
      problem: expect.stringContaining('does not isolate commands') as string,
    });
  });

  it('does not wait for one that never responds', { tags: ['unix'] }, async () => {
    const found = await detectSandbox({
      paths: [createFakeBubblewrap('exec sleep 1000')],
      platform: 'linux',
      timeoutMs: 50,
    });
    expect(found).toMatchObject({
      kind: 'none',
      problem: expect.stringContaining('took longer') as string,
    });
  });

  it('never uses one from the search path', { tags: ['unix'] }, async () => {
    createFakeBubblewrap('exit 0');
    vi.stubEnv('PATH', `${folder.path}:${process.env['PATH'] ?? ''}`);
    const found = await detectSandbox({ timeoutMs: 120_000 });
    vi.unstubAllEnvs();
    expect(found.launch(['true'], testPolicy).file).not.toContain(folder.path);
  });
});
