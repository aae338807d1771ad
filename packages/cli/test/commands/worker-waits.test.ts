import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRedis, type RedisServer } from '../../../worker/test/redis-server.ts';
import { showQueue } from '../../src/commands/queue/action.ts';
import { submitGoal } from '../../src/commands/submit/action.ts';
import { runWorker } from '../../src/commands/worker/action.ts';
import { main } from '../../src/main.ts';
import { captureIo } from '../capture-io.ts';

const bin = join(import.meta.dirname, '../../bin/pawl.js');
const times = { concurrency: '1', lease: '300', grace: '1' };

describe('pawl worker without a reachable Redis', { tags: ['redis'] }, () => {
  let server: RedisServer;
  let folder = '';
  const cleanUps: (() => unknown)[] = [];

  beforeEach(async () => {
    server = await startRedis({ appendfsync: 'everysec' });
    cleanUps.push(() => server.stop());
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-waits-')));
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'garden.md'), '# Garden\n\nThe garden party is on the ninth of June.\n');
  });

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  });

  it('reports once that it waits, reports the connection, and works', async () => {
    await server.kill();
    const stop = new AbortController();
    const { io, out, err } = captureIo();
    const place = { dir: folder, store: server.url };
    const working = runWorker({ ...place, ...times, signal: stop.signal }, io);
    cleanUps.push(() => stop.abort());
    await expect.poll(err).toContain(`Waiting for Redis at 127.0.0.1:${server.port}: it cannot be reached`);
    // One-off commands fail at the first refused connection.
    const refused = 'it cannot be reached: connect ECONNREFUSED';
    await expect(submitGoal('Do it.', place, captureIo().io)).rejects.toThrow(refused);
    await expect(showQueue(place, captureIo().io)).rejects.toThrow(refused);
    const sessions = captureIo();
    expect(await main(['sessions', '--store', server.url], sessions.io)).toBe(2);
    expect(sessions.err()).toContain(refused);
    await server.start();
    await expect.poll(err).toContain(`Connected to Redis at 127.0.0.1:${server.port}.`);
    expect(err().match(/Waiting for Redis/g)).toHaveLength(1);
    await submitGoal('When is the garden party?', place, captureIo().io);
    await expect.poll(out).toContain('idle:');
    stop.abort();
    expect(await working).toBe(0);
  });

  it.each([
    ['while it waits', 'Waiting for Redis'],
    ['while Redis is away', 'error: connect ECONNREFUSED'],
  ])('shuts down cleanly on request, %s', async (_, sign) => {
    const isWaiting = sign.startsWith('Waiting');
    if (isWaiting) await server.kill();
    const args = ['worker', '--store', server.url, '--dir', folder, '--grace', '1'];
    const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    cleanUps.push(() => child.kill('SIGKILL'));
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const waitForText = (text: string): Promise<void> => expect.poll(() => output).toContain(text);
    if (!isWaiting) {
      await waitForText('Waiting for sessions');
      await server.kill();
    }
    await waitForText(sign);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    // A repeated error is reported once.
    expect(output.match(new RegExp(sign, 'g'))).toHaveLength(1);
  });

  it('exits immediately with one error if waiting cannot help', async () => {
    const careless = await startRedis({ appendonly: 'no', requirepass: 'right' });
    cleanUps.push(() => careless.stop());
    for (const [url, reason] of [
      ['redis://', 'redis://127.0.0.1:6379'],
      [careless.url.replace('right', 'wrong-one'), '(authentication failed: '],
      [careless.url, 'appendonly yes'],
    ] as const) {
      const { io, err } = captureIo();
      expect(await main(['worker', '--store', url, '--dir', folder], io)).toBe(2);
      expect(err()).toContain(reason);
      expect(err().trimEnd().split('\n')).toHaveLength(1);
      expect(err()).not.toContain('wrong-one');
    }
  });
});
