import { setTimeout as sleep } from 'node:timers/promises';
import { openBenchEnvironment, type BenchEnvironment } from './bench-environment.ts';
import { startWorkerProcess, type WorkerProcessPlan } from './workers.ts';

/** Measures the seconds from killing a worker in the middle of a session until another worker completes the session. */
export async function measureTakeover(url: string, leaseMs: number): Promise<number> {
  const place = await openBenchEnvironment(url);
  const plan: WorkerProcessPlan = {
    kind: 'pawl',
    url,
    prefix: place.prefix,
    concurrency: 1,
    steps: 0,
    leaseMs,
  };
  const stuck = await startWorkerProcess({ ...plan, kind: 'stuck' });
  await place.submit('held', 1);
  await waitUntilTrue(async () => (await place.store.open('held-0')).owner !== 'bench');
  const other = await startWorkerProcess(plan);
  const start = performance.now();
  await stuck.kill();
  await waitUntilTrue(() => isSessionAnswered(place));
  const seconds = (performance.now() - start) / 1_000;
  await other.end();
  await place.close();
  return seconds;
}

async function isSessionAnswered({ store }: BenchEnvironment): Promise<boolean> {
  return (await store.open('held-0')).session.turn.status === 'waitingForUser';
}

async function waitUntilTrue(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}
