import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DoctorCheck, type DoctorMachine, runDoctor } from '../../src/commands/doctor/action.ts';
import { main } from '../../src/main.ts';
import { captureIo } from '../capture-io.ts';

let folder = '';
let bin = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-doctor-'));
  bin = join(folder, 'bin');
  mkdirSync(bin);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A machine that has only the programs that the test created. */
function createMachine(changes: Partial<DoctorMachine> = {}): DoctorMachine {
  return {
    env: createEnvironment(),
    platform: 'linux',
    cwd: folder,
    nodeVersion: '24.7.0',
    timeoutMs: 120_000,
    ...changes,
  };
}

function createEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const homes = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data') };
  return { PATH: bin, ...homes, ...more };
}

function writeProgram(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

async function runDoctorChecks(
  changes: Partial<DoctorMachine> = {},
): Promise<ReadonlyMap<string, DoctorCheck>> {
  const { io, out } = captureIo();
  await runDoctor({ json: true }, io, createMachine(changes));
  const { checks } = JSON.parse(out()) as { readonly checks: readonly DoctorCheck[] };
  return new Map(checks.map((check) => [check.name, check]));
}

describe('pawl doctor', () => {
  it('reports that this machine meets all requirements', async () => {
    const { io, out } = captureIo();
    expect(await main(['doctor'], io)).toBe(0);
    expect(out()).toMatch(new RegExp(`^ok +node +${process.versions.node.replaceAll('.', '\\.')}$`, 'm'));
    expect(out()).toMatch(/^ok +git +git version/m);
    expect(out()).toMatch(/All requirements are met\.\n$/);
  });

  it('gives advice for everything that is missing', async () => {
    const { io, out } = captureIo();
    expect(await runDoctor({}, io, createMachine())).toBe(0);
    for (const name of ['npm', 'git', 'redis-server', 'chromium'])
      expect(out()).toMatch(new RegExp(`^absent   ${name} +not installed\\n +\\S.*[Ii]nstall`, 'm'));
  });

  it('finds programs under alternative names and shows their versions', { tags: ['unix'] }, async () => {
    writeProgram('google-chrome', 'echo Google Chrome 1.2.3');
    writeProgram('git', 'echo git version 9; echo more');
    const checks = await runDoctorChecks();
    expect(checks.get('chromium')).toEqual({
      name: 'chromium',
      needed: false,
      ok: true,
      found: 'Google Chrome 1.2.3',
      advice: null,
    });
    expect(checks.get('git')?.found).toBe('git version 9');
  });

  it(
    'does not wait for a program that hangs, nor accept one that fails or prints control characters',
    { tags: ['unix'] },
    async () => {
      writeProgram('npm', 'sleep 1000');
      writeProgram('git', 'exit 9');
      writeProgram('redis-server', `printf 'v\\033[2J\\n'; head -c 9000000 /dev/zero`);
      const path = { env: createEnvironment({ PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin` }) };
      const hung = await runDoctorChecks({ timeoutMs: 500, ...path });
      expect(hung.get('npm')).toMatchObject({ ok: false, found: 'npm took longer than 0.5 s and was ended' });
      writeProgram('npm', 'echo 11');
      const checks = await runDoctorChecks(path);
      expect(checks.get('git')).toMatchObject({ ok: false, found: 'git ended with exit code 9' });
      expect(checks.get('redis-server')).toMatchObject({ ok: true, found: 'v\\x1b[2J' });
    },
  );

  it.each(['20.19.0', '24.6.0'])('fails for Node %s', async (nodeVersion) => {
    const { io, out } = captureIo();
    expect(await runDoctor({}, io, createMachine({ nodeVersion }))).toBe(1);
    expect(out()).toMatch(
      new RegExp(
        `^MISSING +node +${nodeVersion.replaceAll('.', '\\.')}\n +Install Node\\.js 24\\.7\\.0 or newer`,
        'm',
      ),
    );
    expect(out()).toMatch(/Some requirements are not met\.\n$/);
  });

  it.each(['24.7.0', '24.10.1', '26.0.0'])('accepts Node %s', async (nodeVersion) => {
    expect((await runDoctorChecks({ nodeVersion })).get('node')).toMatchObject({
      ok: true,
      found: nodeVersion,
    });
  });

  it('fails if the configuration folder is not writable', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { io, out } = captureIo();
    expect(
      await runDoctor({}, io, createMachine({ env: createEnvironment({ XDG_CONFIG_HOME: file }) })),
    ).toBe(1);
    expect(out()).toMatch(/^MISSING +config +\S+\/file\/pawl\n +Make \S+ writable for you/m);
  });

  it('prints JSON', async () => {
    const { io, out } = captureIo();
    expect(await main(['doctor', '--json'], io)).toBe(0);
    expect(JSON.parse(out())).toMatchObject({ ok: true, checks: expect.any(Array) as unknown });
  });

  it('reports whether the sandbox works', async () => {
    const sandbox = (await runDoctorChecks()).get('sandbox');
    expect(sandbox?.ok === true ? sandbox.found : sandbox?.advice).toMatch(/, working|bubblewrap|sandbox/);
  });

  it('reports the version of SQLite', async () => {
    expect((await runDoctorChecks()).get('sqlite')).toMatchObject({
      needed: true,
      ok: true,
      found: expect.stringMatching(/^3\./) as string,
    });
  });

  it.each([
    ['config', 'XDG_CONFIG_HOME'],
    ['data', 'XDG_DATA_HOME'],
  ])('fails if other users can write to the folder for %s', { tags: ['unix'] }, async (name, variable) => {
    const open = join(folder, 'open', 'pawl');
    mkdirSync(open, { recursive: true });
    chmodSync(open, 0o777);
    const { io, out } = captureIo();
    expect(
      await runDoctor(
        {},
        io,
        createMachine({ env: createEnvironment({ [variable]: join(folder, 'open') }) }),
      ),
    ).toBe(1);
    expect(out()).toMatch(
      new RegExp(`^MISSING +${name} +${open}, writable by other users\\n +.*chmod go-w ${open}$`, 'm'),
    );
  });
});

describe('the configuration checks of pawl doctor', () => {
  it('show the model and fail for an invalid configuration', async () => {
    const path = join(folder, 'config', 'pawl', 'pawl.config.yaml');
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, 'model: ollama:a');
    expect((await runDoctorChecks()).get('settings')).toMatchObject({ ok: true, found: 'model ollama:a' });
    writeFileSync(path, 'model: x\nmodle: y');
    expect((await runDoctorChecks()).get('settings')).toMatchObject({
      needed: true,
      ok: false,
      advice: expect.stringContaining('line 2: modle: unknown key') as string,
    });
  });

  it('give advice for an untrusted configuration', async () => {
    writeFileSync(join(folder, 'pawl.config.yaml'), 'model: anthropic:a');
    expect((await runDoctorChecks()).get('settings')).toMatchObject({
      ok: true,
      found: 'model librarian',
      advice: expect.stringContaining('pawl trust') as string,
    });
  });

  it('show for each provider whether its package and its key are present, never the key', async () => {
    const { io, out } = captureIo();
    await runDoctor(
      {},
      io,
      createMachine({ env: createEnvironment({ GEMINI_API_KEY: 'hunter2', PAWL_API_KEY: 'hunter2' }) }),
    );
    expect(out()).toMatch(/^ok +google +@ai-sdk\/google is installed, GEMINI_API_KEY is set$/m);
    expect(out()).toMatch(/^ok +openai-compatible +.* is installed, PAWL_API_KEY is set$/m);
    expect(out()).toMatch(
      /^absent +anthropic +.* is installed, no API key set\n +To use anthropic: set ANTHROPIC_API_KEY\.$/m,
    );
    expect(out()).not.toContain('hunter2');
  });

  it('require the provider of the configured model', async () => {
    const { io, out } = captureIo();
    expect(
      await runDoctor({}, io, createMachine({ env: createEnvironment({ PAWL_MODEL: 'openai:a' }) })),
    ).toBe(1);
    expect(out()).toMatch(/^MISSING +openai +.*no API key set$/m);
    const local = await runDoctorChecks({ env: createEnvironment({ PAWL_MODEL: 'ollama:a' }) });
    expect(local.get('openai-compatible')).toMatchObject({
      needed: true,
      ok: true,
      found: expect.stringContaining('no API key needed') as string,
    });
  });
});

/** Checks a server that always sends the same answer; null for none. */
async function checkFakeRedis(
  answer: string | null,
  url: (port: number) => string,
  variable = 'PAWL_REDIS_URL',
): Promise<DoctorCheck | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => void (answer === null || socket.write(answer)));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const timeoutMs = answer === null ? 500 : 120_000;
  const checks = await runDoctorChecks({ timeoutMs, env: createEnvironment({ [variable]: url(port) }) });
  server.close();
  return checks.get('redis');
}

const getLocalRedisUrl = (port: number): string => `redis://user:hunter2@127.0.0.1:${port}/0`;

describe('the Redis check of pawl doctor', () => {
  it('is omitted without a Redis URL', async () => {
    expect((await runDoctorChecks()).has('redis')).toBe(false);
  });

  it('passes if Redis answers or asks for a password', async () => {
    for (const answer of ['+PONG\r\n', '-NOAUTH Authentication required.\r\n']) {
      const check = await checkFakeRedis(answer, getLocalRedisUrl);
      expect(check).toMatchObject({ needed: true, ok: true, advice: null });
      expect(check?.found).toMatch(/^127\.0\.0\.1:\d+ answers$/);
    }
  });

  it.each([
    [null, 'did not answer within 0.5 s'],
    ['HTTP/1.1 400 Bad Request\r\n', 'answers, but is not Redis'],
  ])('reports what is wrong with a server that answers %j', async (answer, problem) => {
    const check = await checkFakeRedis(answer, getLocalRedisUrl);
    expect(check).toMatchObject({ ok: false, found: expect.stringContaining(problem) as string });
    expect(JSON.stringify(check)).not.toContain('hunter2');
  });

  it('reports an unreachable server with advice', async () => {
    const check = await checkFakeRedis(null, () => 'redis://127.0.0.1:1');
    expect(check).toMatchObject({
      needed: true,
      ok: false,
      found: '127.0.0.1:1 cannot be reached (ECONNREFUSED)',
    });
    expect(check?.advice).toContain('PAWL_REDIS_URL');
  });

  it('does not require the Redis of REDIS_URL', async () => {
    expect(await checkFakeRedis(null, () => 'redis://127.0.0.1:1', 'REDIS_URL')).toMatchObject({
      needed: false,
      ok: false,
    });
  });

  it.each(['nonsense', 'http://127.0.0.1:6379', 'redis://'])('rejects %s as a URL', async (url) => {
    expect(await checkFakeRedis(null, () => url)).toMatchObject({
      ok: false,
      found: 'PAWL_REDIS_URL is not a Redis URL',
    });
  });
});
