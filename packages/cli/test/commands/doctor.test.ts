import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Check } from '../../src/commands/doctor-check.ts';
import type { Machine } from '../../src/commands/doctor-checks.ts';
import { doctor } from '../../src/commands/doctor.ts';
import { main } from '../../src/main.ts';
import { captureIo } from '../captured-io.ts';

let folder = '';
let bin = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-doctor-'));
  bin = join(folder, 'bin');
  mkdirSync(bin);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A machine whose programs are the ones the test made. */
function machine(changes: Partial<Machine> = {}): Machine {
  return { env: env(), platform: 'linux', cwd: folder, nodeVersion: '24.1.0', timeoutMs: 3_000, ...changes };
}

function env(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const homes = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data') };
  return { PATH: bin, ...homes, ...more };
}

function program(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

async function checksOf(changes: Partial<Machine> = {}): Promise<ReadonlyMap<string, Check>> {
  const { io, out } = captureIo();
  await doctor({ json: true }, io, machine(changes));
  const { checks } = JSON.parse(out()) as { readonly checks: readonly Check[] };
  return new Map(checks.map((check) => [check.name, check]));
}

describe('pawl doctor', () => {
  it('looks at this machine and says that what is needed is there', async () => {
    const { io, out } = captureIo();
    expect(await main(['doctor'], io)).toBe(0);
    expect(out()).toMatch(new RegExp(`^ok +node +${process.versions.node.replaceAll('.', '\\.')}$`, 'm'));
    expect(out()).toMatch(/^ok +git +git version/m);
    expect(out()).toMatch(/Everything that is needed is there\.\n$/);
  });

  it('says of everything that is missing what to do', async () => {
    const { io, out } = captureIo();
    expect(await doctor({}, io, machine())).toBe(0);
    for (const name of ['npm', 'git', 'redis-server', 'chromium'])
      expect(out()).toMatch(new RegExp(`^without  ${name} +not installed\\n +\\S.*[Ii]nstall`, 'm'));
  });

  it('finds programs under their other names, and tells their versions', async () => {
    program('google-chrome', 'echo Google Chrome 1.2.3');
    program('git', 'echo git version 9; echo more');
    const checks = await checksOf();
    expect(checks.get('chromium')).toEqual({
      name: 'chromium',
      needed: false,
      ok: true,
      found: 'Google Chrome 1.2.3',
      advice: null,
    });
    expect(checks.get('git')?.found).toBe('git version 9');
  });

  it('does not wait for a program that hangs, nor believe one that fails or shows off', async () => {
    program('npm', 'sleep 1000');
    program('git', 'exit 9');
    program('redis-server', `printf 'v\\033[2J\\n'; head -c 9000000 /dev/zero`);
    const checks = await checksOf({
      timeoutMs: 2_000,
      env: env({ PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin` }),
    });
    expect(checks.get('npm')).toMatchObject({ ok: false, found: 'npm took longer than 2 s and was ended' });
    expect(checks.get('git')).toMatchObject({ ok: false, found: 'git ended with exit code 9' });
    expect(checks.get('redis-server')).toMatchObject({ ok: true, found: 'v\\x1b[2J' });
  });

  it('fails for an old Node', async () => {
    const { io, out } = captureIo();
    expect(await doctor({}, io, machine({ nodeVersion: '20.19.0' }))).toBe(1);
    expect(out()).toMatch(/^MISSING +node +20\.19\.0\n +Install Node 24/m);
    expect(out()).toMatch(/Something that is needed is missing\.\n$/);
  });

  it('fails where settings cannot be kept', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { io, out } = captureIo();
    expect(await doctor({}, io, machine({ env: env({ XDG_CONFIG_HOME: file }) }))).toBe(1);
    expect(out()).toMatch(/^MISSING +config +\S+\/file\/pawl\n +Give yourself the right/m);
  });

  it('prints JSON', async () => {
    const { io, out } = captureIo();
    expect(await main(['doctor', '--json'], io)).toBe(0);
    expect(JSON.parse(out())).toMatchObject({ ok: true, checks: expect.any(Array) as unknown });
  });

  it('says of the sandbox whether it works', async () => {
    const sandbox = (await checksOf()).get('sandbox');
    expect(sandbox?.ok === true ? sandbox.found : sandbox?.advice).toMatch(/and it works|bubblewrap|sandbox/);
  });
});
