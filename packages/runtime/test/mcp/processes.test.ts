import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { createFixtureServer, callMcpTool, isProcessAlive, createMcpTestServer } from './mcp-test-server.ts';

const { folder, connect, behave } = createMcpTestServer();
const notes = join(folder, 'stubborn.notes');

/** The server, which ignores every signal it can, and a child of its own that does the same. */
function readStubbornPids(way = 'stubborn'): readonly number[] {
  return readFileSync(join(folder, `${way}.notes`), 'utf8')
    .trim()
    .split(' ')
    .map(Number);
}

async function expectAllGone(pids: readonly number[]): Promise<void> {
  expect(pids).toHaveLength(2);
  await expect.poll(() => pids.filter(isProcessAlive)).toEqual([]);
}

describe('the processes of a server', { tags: ['unix'] }, () => {
  it('are all gone after the connection is closed', async () => {
    rmSync(notes, { force: true });
    const connection = await behave('stubborn', { limits: { closeMs: 100 } });
    const pids = readStubbornPids();
    expect(pids.every(isProcessAlive)).toBe(true);
    await connection.close();
    await expectAllGone(pids);
  });

  it('are all gone after the server exits', async () => {
    rmSync(notes, { force: true });
    await behave('stubborn', { limits: { closeMs: 100 } });
    const pids = readStubbornPids();
    process.kill(pids[0] ?? 0, 'SIGKILL');
    await expectAllGone(pids);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'are all gone after this process is killed by %s',
    async (signal) => {
      rmSync(notes, { force: true });
      const server = join(folder, 'server.json');
      writeFileSync(server, JSON.stringify(createFixtureServer('stubborn', folder)));
      const holder = spawn(
        process.execPath,
        [fileURLToPath(new URL('fixtures/holds-server.ts', import.meta.url)), server],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      await once(holder.stdout, 'data');
      const pids = readStubbornPids();
      expect(pids.every(isProcessAlive)).toBe(true);
      holder.kill(signal);
      await expectAllGone(pids);
    },
  );

  it('are gone after a start times out', async () => {
    // On a busy machine it may take longer until the server runs at all.
    for (let startMs = 1_000; !existsSync(join(folder, 'stubborn-silent.notes')); startMs *= 2) {
      const limits = { startMs, closeMs: 50 };
      await expect(behave('stubborn-silent', { limits })).rejects.toThrow('did not respond in time');
    }
    await expectAllGone(readStubbornPids('stubborn-silent'));
  });
});

describe('the environment of a server', () => {
  it('contains the configured variables and no secret of this process', async () => {
    vi.stubEnv('PAWL_TEST_SECRET', 'hush');
    vi.stubEnv('PAWL_TEST_GIVEN', 'given');
    const server = createFixtureServer('env', folder);
    await connect({ ...server, env: { TOKEN: 'Bearer ${PAWL_TEST_GIVEN}', PLAIN: '$HOME' } });
    vi.unstubAllEnvs();
    const seen = JSON.parse(readFileSync(join(folder, 'env.notes'), 'utf8')) as {
      readonly [name: string]: string;
    };
    expect(seen).toMatchObject({ TOKEN: 'Bearer given', PLAIN: '$HOME' });
    const harmless = ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'PWD', 'TMPDIR', 'TZ', 'USER'];
    expect(
      Object.keys(seen)
        .filter((name) => !harmless.includes(name))
        .toSorted(),
    ).toEqual(['PLAIN', 'TOKEN']);
  });

  it('does not let the shell interpret arguments', async () => {
    const server = createFixtureServer('good', folder);
    const connection = await connect({
      ...server,
      ...('args' in server && { args: [...(server.args ?? []), '; exit 1', '$(exit 1)', '`exit 1`', "'"] }),
    });
    expect(await callMcpTool(connection, 'bad__echo')).toMatchObject({ ok: true });
  });
});
