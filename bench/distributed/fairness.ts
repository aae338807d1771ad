import { emptied, openPlace } from './place.ts';
import { startWorkerProcess } from './workers.ts';

export type Crowd = {
  readonly url: string;
  readonly workers: number;
  readonly concurrency: number;
  readonly steps: number;
  /** How many sessions the one has, and how many more the other, who was there first. */
  readonly few: number;
  readonly many: number;
};

/** Seconds for the sessions of one tenant, with nobody else there, and beside one who has far more. */
export type Fairness = { readonly aloneSeconds: number; readonly besideSeconds: number };

export async function measureFairness(crowd: Crowd): Promise<Fairness> {
  return { aloneSeconds: await secondsFor(crowd, 0), besideSeconds: await secondsFor(crowd, crowd.many) };
}

async function secondsFor(
  { url, workers: count, concurrency, steps, few }: Crowd,
  many: number,
): Promise<number> {
  const place = await openPlace(url);
  const { queue, prefix } = place;
  // Known from the start, so that both tenants are looked after from the start.
  await Promise.all(['many', 'few'].map((tenant) => queue.parts.queues.register(tenant)));
  const plan = { kind: 'pawl', url, prefix, concurrency, steps, leaseMs: 10_000 } as const;
  const workers = await Promise.all(Array.from({ length: count }, () => startWorkerProcess(plan)));
  const [queueOfMany, queueOfFew] = ['many', 'few'].map((tenant) => queue.parts.queues.of(tenant));
  if (queueOfMany === undefined || queueOfFew === undefined) throw new Error('Expected two queues');
  await place.submit('warm', 20, 'many');
  await emptied(queueOfMany);
  await Promise.all([queueOfMany.pause(), queueOfFew.pause()]);
  await place.submit('many', many, 'many');
  await place.submit('few', few, 'few');
  const start = performance.now();
  await queueOfMany.resume();
  await queueOfFew.resume();
  await emptied(queueOfFew);
  const seconds = (performance.now() - start) / 1_000;
  await emptied(queueOfMany);
  await Promise.all(workers.map((worker) => worker.end()));
  await place.close();
  return seconds;
}
