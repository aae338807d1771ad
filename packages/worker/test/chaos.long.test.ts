import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deriveExecutionId } from '@pawl/runtime/store';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorkerCrew, causeMishap, type ChaosCounts, type ChaosScene } from './chaos-workers.ts';
import { readEffectLedger, listOpenEffects, type EffectEntry } from './chaos-ledger.ts';
import { startChaosPeople, getSteeringTexts } from './chaos-people.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { createWorkerHarness, type WorkerHarness } from './harness.ts';
import { startRedis } from './redis-server.ts';

const isSoak = process.env['PAWL_SOAK'] === '1';
const { workersCount, sessionsCount, rounds } = isSoak
  ? { workersCount: 4, sessionsCount: 200, rounds: 60 }
  : { workersCount: 3, sessionsCount: 24, rounds: 8 };

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** Those that are not where they are to come to, and why: nothing when all are. */
async function listUnfinished({ store, queue }: WorkerHarness): Promise<readonly string[]> {
  const all = await store.list({ limit: sessionsCount });
  const parked = await queue.parked();
  const waiting = await Promise.all(all.map(async ({ id }) => (await store.commands.listPending(id)).length));
  return [
    ...(all.length < sessionsCount ? [`${sessionsCount - all.length} are not there`] : []),
    ...parked.map(({ session, reason }) => `${session} is parked: ${reason}`),
    ...all.flatMap(({ id, status }, index) =>
      status === 'waitingForUser' && waiting[index] === 0
        ? []
        : [`${id} is ${status} with ${waiting[index]} commands`],
    ),
  ];
}

type SessionLogFacts = {
  readonly userTexts: readonly string[];
  readonly decided: number;
  readonly started: readonly string[];
  /** When the result of each call was told. */
  readonly deliveries: ReadonlyMap<string, number>;
};

async function readSessionLog({ store }: WorkerHarness, id: string): Promise<SessionLogFacts> {
  const userTexts: string[] = [];
  const started: string[] = [];
  const deliveries = new Map<string, number>();
  let decided = 0;
  for await (const { event } of store.events(id)) {
    if (event.type === 'user-message' || event.type === 'steered') userTexts.push(event.text);
    if (event.type === 'permission-decided') decided += 1;
    if (event.type === 'tool-started') started.push(deriveExecutionId(id, event.request ?? -1, event.callId));
    if (event.type === 'tool-finished')
      deliveries.set(deriveExecutionId(id, event.request ?? -1, event.callId), event.at);
  }
  return { userTexts, decided, started, deliveries };
}

type ChaosFigures = { readonly starts: number; readonly lateStarts: number; readonly decided: number };

/** Holds the logs against what the tool has written down and what people have said. */
async function checkLogs(
  place: WorkerHarness,
  ids: readonly string[],
  entries: readonly EffectEntry[],
): Promise<ChaosFigures> {
  const intended = new Set<string>();
  const deliveries = new Map<string, number>();
  let decided = 0;
  for (const id of ids) {
    const log = await readSessionLog(place, id);
    // Nothing that was acknowledged is lost, and nothing is there twice.
    expect(log.userTexts.toSorted()).toEqual([`Do it, ${id}.`, ...getSteeringTexts(id)].toSorted());
    expect(log.decided).toBe(Number(id.slice(1)) % 3 === 0 ? 1 : 0);
    decided += log.decided;
    for (const execution of log.started) intended.add(execution);
    for (const [execution, at] of log.deliveries) deliveries.set(execution, at);
    expect(await place.store.verify(id)).toMatchObject({ ok: true });
  }
  // Each of them exactly once, and none that the log does not know of.
  const starts = entries.filter(({ what }) => what === 'start');
  const executions = starts.map(({ execution }) => execution);
  expect(starts.length).toBeGreaterThan(ids.length);
  expect(new Set(executions).size).toBe(executions.length);
  expect(executions.filter((execution) => !intended.has(execution))).toEqual([]);
  // It was not all done before anything happened.
  expect(listOpenEffects(entries)).not.toEqual([]);
  // A process suspended between its last lease check and the start still starts the call when it resumes.
  const lateStarts = starts.filter(
    ({ execution, at }) => at > (deliveries.get(execution) ?? Infinity),
  ).length;
  return { starts: starts.length, lateStarts, decided };
}

function printFigures(happened: ChaosCounts, { starts, lateStarts, decided }: ChaosFigures): void {
  const { kills, stops, restarts, cuts } = happened;
  process.stdout.write(
    `chaos: ${workersCount} workers, ${sessionsCount} sessions, ${kills} kills, ${stops} stops, ${restarts} restarts of ` +
      `Redis, ${cuts} cuts, ${starts} starts, ${lateStarts} late starts, ${decided} decisions, 0 losses\n`,
  );
}

describe('workers that are killed, stopped and disconnected from Redis', { tags: ['redis'] }, () => {
  it(
    'complete every session, lose no command, and start no non-repeatable call twice',
    { timeout: isSoak ? 900_000 : 300_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pawl-chaos-'));
      cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
      // With `everysec` a Redis that is killed while it waits for its disk has lost what it acknowledged meanwhile.
      const server = await startRedis({ appendfsync: 'always' });
      cleanUps.push(() => server.stop());
      const proxy = await startCuttingProxy(server.port);
      cleanUps.push(() => proxy.close());
      const place = await createWorkerHarness(server);
      cleanUps.push(() => place.close());
      const ids = Array.from({ length: sessionsCount }, (_, index) => `s${index}`);
      const workers = createWorkerCrew(proxy.url, place.prefix, folder);
      cleanUps.push(() => Promise.all(workers.running().map((child) => workers.kill(child))));
      const people = startChaosPeople(place);
      cleanUps.push(() => people.stop());
      for (let count = 0; count < workersCount; count += 1) workers.start();
      const happened: ChaosCounts = { kills: 0, stops: 0, restarts: 0, cuts: 0 };
      const context: ChaosScene = { server, proxy, workers, folder, happened };
      for (let round = 0; round < rounds; round += 1) {
        const some = ids.filter((_, index) => index % rounds === round);
        for (const id of some) await place.submit(id, `Do it, ${id}.`);
        people.steer(some);
        await causeMishap(round, context);
      }
      while (people.left() > 0) await sleep(50);
      while ((await listUnfinished(place)).length > 0) {
        workers.check();
        await sleep(100);
      }
      await people.stop();

      printFigures(happened, await checkLogs(place, ids, readEffectLedger(folder)));
      expect(Math.min(...Object.values(happened))).toBeGreaterThan(0);

      // All are still there but those that were ended here, and leave in order when they are told to.
      expect(await workers.stopAll()).toEqual(Array.from({ length: workersCount }, () => 0));
      workers.check();
    },
  );
});
