import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { awaitRedis, type AwaitRedisOptions } from '../../src/index.ts';
import { startRedis } from '../redis-server.ts';

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** What is told while it is waited for. */
function createListener(signal = new AbortController().signal): {
  readonly log: string[];
  readonly options: AwaitRedisOptions;
} {
  const log: string[] = [];
  return {
    log,
    options: {
      signal,
      attemptMs: 600_000,
      onDisconnected: (place, reason) => void log.push(`away: ${place}: ${reason}`),
      onConnected: (place) => void log.push(`there: ${place}`),
    },
  };
}

async function listenAsRedis(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => server.close());
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('waiting for a Redis', () => {
  it('continues until it is available, and reports it once', { tags: ['redis'] }, async () => {
    const server = await startRedis({ requirepass: 'secret' });
    cleanUps.push(() => server.stop());
    await server.kill();
    const { log, options } = createListener();
    const waiting = awaitRedis(server.url, options);
    await expect.poll(() => log.length).toBe(1);
    const place = `Redis at 127.0.0.1:${server.port}`;
    expect(log[0]).toContain(`away: ${place}: it cannot be reached: connect ECONNREFUSED`);
    await server.start();
    const connected = await waiting;
    cleanUps.push(() => connected?.close());
    expect(await connected?.redis.ping()).toBe('PONG');
    expect(log.slice(1)).toEqual([`there: ${place}`]);
    expect(log.join()).not.toContain('secret');
  });

  it('reports nothing if it is available, and ends on abort', async () => {
    const stop = new AbortController();
    const { log, options } = createListener(stop.signal);
    const waiting = awaitRedis('redis://127.0.0.1:1', options);
    await expect.poll(() => log.length).toBe(1);
    stop.abort();
    expect(await waiting).toBeNull();
    expect(await awaitRedis('redis://127.0.0.1:1', options)).toBeNull();
    expect(log).toHaveLength(1);
  });

  it('does not wait forever for one that accepts connections and does not respond', async () => {
    let connections = 0;
    const url = await listenAsRedis(createServer(() => (connections += 1)));
    const stop = new AbortController();
    const { log, options } = createListener(stop.signal);
    const waiting = awaitRedis(url, { ...options, attemptMs: 100 });
    await expect.poll(() => log.join()).toContain('it does not respond');
    await expect.poll(() => connections).toBeGreaterThan(1);
    stop.abort();
    expect(await waiting).toBeNull();
  });

  it('fails at once for errors that waiting cannot fix: an invalid address and a Redis that is too old', async () => {
    const { log, options } = createListener();
    await expect(awaitRedis('localhost:6379', options)).rejects.toThrow('redis://127.0.0.1:6379');
    const info = 'redis_version:5.0.14\r\nredis_mode:standalone\r\nloading:0\r\ncluster_enabled:0\r\n';
    const old = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (asked: Buffer) => {
        const commands = asked.toString().match(/^\*\d+\r$/gm)?.length ?? 0;
        socket.write(`$${info.length}\r\n${info}\r\n`.repeat(commands));
      });
    });
    await expect(awaitRedis(await listenAsRedis(old), options)).rejects.toThrow(
      'it is Redis 5.0.14, but 6.2 or newer is required',
    );
    expect(log).toEqual([]);
  });

  it(
    'fails at once for a wrong password, and without persistence unless that is allowed',
    { tags: ['redis'] },
    async () => {
      const secret = await startRedis({ requirepass: 'right' });
      const nonDurableRedis = await startRedis({ appendonly: 'no' });
      cleanUps.push(
        () => secret.stop(),
        () => nonDurableRedis.stop(),
      );
      const { log, options } = createListener();
      const wrong = secret.url.replace('right', 'wrong-one');
      const refused = awaitRedis(wrong, options);
      await expect(refused).rejects.toThrow('authentication failed');
      await expect(refused).rejects.not.toThrow('wrong-one');
      await expect(awaitRedis(nonDurableRedis.url, options)).rejects.toThrow('appendonly yes');
      const warnings: string[] = [];
      const onWarning = (line: string): void => void warnings.push(line);
      const connected = await awaitRedis(nonDurableRedis.url, { ...options, durability: 'warn', onWarning });
      await connected?.close();
      expect(warnings).toEqual([expect.stringContaining('appendonly yes')]);
      expect(log).toEqual([]);
    },
  );
});
