import { setTimeout as sleep } from 'node:timers/promises';
import { openPlace, type BenchPlace } from './place.ts';
import { startWorkerProcess, type ChildPlan } from './workers.ts';

/** Seconds from the moment a worker is killed in the middle of a session until another one has brought it to its answer. */
export async function measureTakeover(url: string, leaseMs: number): Promise<number> {
  const place = await openPlace(url);
  const plan: ChildPlan = { kind: 'pawl', url, prefix: place.prefix, concurrency: 1, steps: 0, leaseMs };
  const stuck = await startWorkerProcess({ ...plan, kind: 'stuck' });
  await place.submit('held', 1);
  await until(async () => (await place.store.open('held-0')).owner !== 'bench');
  const other = await startWorkerProcess(plan);
  const start = performance.now();
  await stuck.kill();
  await until(() => isAnswered(place));
  const seconds = (performance.now() - start) / 1_000;
  await other.end();
  await place.close();
  return seconds;
}

async function isAnswered({ store }: BenchPlace): Promise<boolean> {
  return (await store.open('held-0')).session.turn.status === 'waitingForUser';
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}
