import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { requireProgram } from '../../../scripts/testing/programs.ts';
import { startRedis, type RedisServer } from './redis-server.ts';

/** A cluster of three masters, each with a third of all keys. */
export async function startCluster(settings: Readonly<Record<string, string>> = {}): Promise<{
  readonly nodes: readonly RedisServer[];
  stop(): Promise<void>;
}> {
  const all = { 'cluster-enabled': 'yes', 'cluster-node-timeout': '30000', ...settings };
  const nodes = await Promise.all([1, 2, 3].map(() => startRedis(all)));
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await promisify(execFile)(requireProgram('redis-cli'), [
    '--cluster',
    'create',
    ...addresses,
    '--cluster-yes',
  ]);
  for (const { url } of nodes) await waitForCluster(url);
  return {
    nodes,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

/** Resolves once a node knows of all keys where they are. */
async function waitForCluster(url: string): Promise<void> {
  const redis = new Redis(url);
  while (!(await redis.cluster('INFO')).includes('cluster_state:ok')) await sleep(50);
  redis.disconnect();
}
