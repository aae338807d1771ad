import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { executionId } from '@pawl/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { placeOn, type Place } from './harness.ts';
import { hasRedis, startRedis, type RedisServer } from './redis-server.ts';

const isLong = process.env['PAWL_LONG'] === '1';
const { workersCount, sessionsCount, rounds } = isLong
  ? { workersCount: 4, sessionsCount: 200, rounds: 60 }
  : { workersCount: 3, sessionsCount: 24, rounds: 6 };
const leaseMs = 1_500;
const program = fileURLToPath(new URL('./fixtures/worker-process.ts', import.meta.url));

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

type Crew = { readonly children: ChildProcess[]; readonly start: () => void };

function crewFor(server: RedisServer, prefix: string, folder: string): Crew {
  const children: ChildProcess[] = [];
  cleanUps.push(() => children.map((child) => child.kill('SIGKILL')));
  return {
    children,
    start() {
      const args = [program, server.url, prefix, folder, String(leaseMs)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
    },
  };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

type Entry = { readonly what: string; readonly execution: string; readonly pid: number };

/** What the tool has written down, outside of everything that is tested here. */
function ledgerIn(folder: string): readonly Entry[] {
  const file = join(folder, 'ledger');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  return lines.map((line) => {
    const [what = '', execution = '', pid = ''] = line.split(' ');
    return { what, execution, pid: Number(pid) };
  });
}

/** Those that have begun and not ended, as far as the ledger tells. */
function openIn(entries: readonly Entry[]): readonly Entry[] {
  const ended = new Set(entries.filter(({ what }) => what === 'end').map(({ execution }) => execution));
  return entries.filter(({ what, execution }) => what === 'start' && !ended.has(execution));
}

type Scene = { readonly server: RedisServer; readonly crew: Crew; readonly folder: string };

/** A worker that is in the middle of something that must not happen twice. */
async function busyWorker({ crew, folder }: Scene): Promise<ChildProcess> {
  for (;;) {
    const open = openIn(ledgerIn(folder));
    const found = crew.children.find(
      (child) => isRunning(child) && open.some(({ pid }) => pid === child.pid),
    );
    if (found !== undefined) return found;
    await sleep(5);
  }
}

/** One mishap: a worker is killed or stops for longer than its lease, or Redis is killed. */
async function mishap(round: number, scene: Scene): Promise<void> {
  const { server, crew } = scene;
  const victim = await busyWorker(scene);
  if (round % 3 === 0) {
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    crew.start();
  } else if (round % 3 === 1) {
    victim.kill('SIGSTOP');
    await sleep(leaseMs * 1.5);
    victim.kill('SIGCONT');
  } else {
    await server.kill();
    await sleep(200);
    await server.start();
  }
}

async function areAllDone({ store }: Place): Promise<boolean> {
  const all = await store.list({ limit: sessionsCount });
  return all.length === sessionsCount && all.every(({ status }) => status === 'waitingForUser');
}

/** Holds the logs against what the tool has written down. */
async function checkLogs({ store }: Place, ids: readonly string[], entries: readonly Entry[]): Promise<void> {
  const intended = new Set<string>();
  for (const id of ids) {
    const said: string[] = [];
    for await (const { event } of store.events(id)) {
      if (event.type === 'user-message') said.push(event.text);
      if (event.type === 'tool-started') intended.add(executionId(id, event.request ?? -1, event.callId));
    }
    expect(said).toEqual([`Do it, ${id}.`]);
    expect(await store.verify(id)).toMatchObject({ ok: true });
  }
  // Each of them exactly once, and none that the log does not know of.
  const starts = entries.filter(({ what }) => what === 'start').map(({ execution }) => execution);
  expect(starts.length).toBeGreaterThan(ids.length);
  expect(new Set(starts).size).toBe(starts.length);
  expect(starts.filter((start) => !intended.has(start))).toEqual([]);
  // It was not all done before anything happened.
  expect(openIn(entries)).not.toEqual([]);
}

describe.skipIf(!hasRedis)('workers that are killed, stopped and cut off from Redis', () => {
  it(
    'bring every session to its end, and start nothing twice that must not be',
    { timeout: isLong ? 600_000 : 120_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pawl-chaos-'));
      cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
      // With `everysec` a Redis that is killed while it waits for its disk has lost what it acknowledged meanwhile.
      const server = await startRedis({ appendfsync: 'always' });
      cleanUps.push(() => server.stop());
      const place = await placeOn(server);
      cleanUps.push(() => place.close());
      const ids = Array.from({ length: sessionsCount }, (_, index) => `s${index}`);
      const crew = crewFor(server, place.prefix, folder);
      for (let count = 0; count < workersCount; count += 1) crew.start();
      for (let round = 0; round < rounds; round += 1) {
        const some = ids.filter((_, index) => index % rounds === round);
        for (const id of some) await place.submit(id, `Do it, ${id}.`);
        await mishap(round, { server, crew, folder });
      }
      while (!(await areAllDone(place))) await sleep(50);

      await checkLogs(place, ids, ledgerIn(folder));
      expect(await place.queue.parked()).toEqual([]);

      // The last ones leave in order when they are told to.
      const left = crew.children.filter(isRunning);
      for (const child of left) child.kill('SIGTERM');
      for (const child of left) if (isRunning(child)) await once(child, 'exit');
      expect(left.map(({ exitCode }) => exitCode)).toEqual(left.map(() => 0));
    },
  );
});
