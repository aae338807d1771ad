import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { requireProgram } from '../../../scripts/testing/programs.ts';

export type RedisServer = {
  readonly url: string;
  readonly port: number;
  /** Ends it as the loss of power to the process would. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and with what it had written. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts a Redis server of this test: on a free port, with a folder of its own, syncing each write to disk. */
export async function startRedis(settings: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
  for (let attempt = 1; ; attempt += 1) {
    const server = createRedis(await findFreePort(), await findFreePort(), settings);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.stop();
      // Another process may have taken the port since it was found to be free.
      if (attempt === 5) throw error;
    }
  }
}

function createRedis(
  port: number,
  clusterPort: number,
  settings: Readonly<Record<string, string>>,
): RedisServer {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-redis-'));
  const all = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
    // The default cluster port may be beyond the last port there is.
    ...(settings['cluster-enabled'] === 'yes' && { 'cluster-port': String(clusterPort) }),
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const password = settings['requirepass'] ?? '';
  let child: ChildProcess | null = null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  return {
    port,
    url: `redis://${password === '' ? '' : `:${password}@`}127.0.0.1:${port}`,
    kill: () => end('SIGKILL'),
    async start() {
      child = spawn(requireProgram('redis-server'), args, { stdio: ['ignore', 'pipe', 'ignore'] });
      await waitUntilReady(child);
    },
    async stop() {
      await end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves once this very process accepts connections, with all it had written loaded; rejects if it exits before. */
async function waitUntilReady(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error('Expected the output of Redis to be a pipe.');
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (!line.includes('Ready to accept connections')) continue;
    // Keep reading, so that the pipe never fills up.
    child.stdout.resume();
    return;
  }
  throw new Error(`Redis did not start: ${lines.slice(-3).join(' ')}`);
}

/** Below the range from which systems choose ports by themselves, so that a server can be restarted on its port. */
async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const server = createServer();
    const opened = once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.listen(port, '127.0.0.1');
    if (!(await opened)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
