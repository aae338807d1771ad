import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

const program = '/usr/bin/redis-server';

/** Where there is no Redis to start, what needs one is skipped; on a machine for tests it is installed first. */
export const hasRedis = existsSync(program);

export type RedisServer = {
  readonly url: string;
  readonly port: number;
  /** Ends it as the loss of power to the process would. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and with what it had written. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** A Redis of our own: on a spare port of this machine, with a folder of its own, writing down everything it is told. */
export async function startRedis(settings: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-redis-'));
  const port = await sparePort();
  const all = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
    // The one it would choose by itself may be beyond the last port there is.
    ...(settings['cluster-enabled'] === 'yes' && { 'cluster-port': String(await sparePort()) }),
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const password = settings['requirepass'] ?? '';
  let child: ChildProcess | null = null;
  const ended = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  const server: RedisServer = {
    port,
    url: `redis://${password === '' ? '' : `:${password}@`}127.0.0.1:${port}`,
    kill: () => ended('SIGKILL'),
    async start() {
      child = spawn(program, args, { stdio: 'ignore' });
      await answering(port, password);
    },
    async stop() {
      await ended('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** Resolves once it answers and has read what it had written. */
async function answering(port: number, password: string): Promise<void> {
  for (;;) {
    const redis = new Redis({
      port,
      host: '127.0.0.1',
      password,
      lazyConnect: true,
      retryStrategy: () => null,
    });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      await redis.ping();
      return;
    } catch {
      await sleep(20);
    } finally {
      redis.disconnect();
    }
  }
}

async function sparePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  return address.port;
}
