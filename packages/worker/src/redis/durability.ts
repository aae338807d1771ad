import { StoreError } from '@pawl/runtime/store';
import { Cluster } from 'ioredis';
import { translateRedisErrors, type RedisClient } from './redis-client.ts';

export type DurabilityOptions = {
  /** What to do about a Redis that may lose acknowledged writes; by default it is refused. */
  readonly durability?: 'refuse' | 'warn';
  /** Called with each problem, one line each, if problems are only warnings. */
  readonly onWarning?: (line: string) => void;
};

/** The first version with the required stream and script features. */
const redisVersionMin = [6, 2] as const;

/** Checks that this Redis does not lose acknowledged writes. */
export async function checkDurability(
  redis: RedisClient,
  address: string,
  { durability = 'refuse', onWarning = () => undefined }: DurabilityOptions = {},
): Promise<void> {
  // In a cluster, each master holds a part of the data.
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const replies = await translateRedisErrors(() => Promise.all(nodes.map((node) => node.info())));
  const facts = replies.map(parseRedisInfo);
  const outdated = facts
    .map((each) => findVersionProblem(each.get('redis_version') ?? ''))
    .find((each) => each !== null);
  if (outdated !== undefined) throw new StoreError('unreadable', address, outdated);
  const problems = [...new Set(facts.flatMap(listDurabilityProblems))];
  if (problems.length === 0) return;
  if (durability === 'refuse') throw new StoreError('unreadable', address, problems.join(' '));
  for (const problem of problems) onWarning(`${address}: ${problem}`);
}

/** Lists everything that may make this Redis lose acknowledged writes. */
function listDurabilityProblems(facts: ReadonlyMap<string, string>): readonly string[] {
  const problems: string[] = [];
  if (facts.get('aof_enabled') !== '1') {
    problems.push('it may lose acknowledged writes when it stops: run CONFIG SET appendonly yes.');
  }
  const policy = facts.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    problems.push(
      `it evicts keys when memory is short (${policy}): run CONFIG SET maxmemory-policy noeviction.`,
    );
  }
  if (facts.get('role') === 'slave')
    problems.push('it is a replica and accepts no writes: use the address of its master.');
  return problems;
}

function findVersionProblem(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [majorMin, minorMin] = redisVersionMin;
  const isEnough = major > majorMin || (major === majorMin && minor >= minorMin);
  return isEnough
    ? null
    : `it is Redis ${version || 'of an unknown version'}, but ${redisVersionMin.join('.')} or newer is required`;
}

function parseRedisInfo(info: string): ReadonlyMap<string, string> {
  const lines = info.split('\n').map((line) => line.trim());
  return new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(':');
      return colon === -1 ? [] : [[line.slice(0, colon), line.slice(colon + 1)] as const];
    }),
  );
}
