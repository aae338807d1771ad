import { waitUntilDrained, openBenchEnvironment } from './bench-environment.ts';
import { startWorkerProcess } from './workers.ts';

export type FairnessOptions = {
  readonly url: string;
  readonly workers: number;
  readonly concurrency: number;
  readonly steps: number;
  /** Number of sessions of the measured tenant, and of the tenant that submitted before it. */
  readonly few: number;
  readonly many: number;
};

/** Seconds to complete the sessions of one tenant, alone and next to a tenant with far more sessions. */
export type FairnessResult = { readonly aloneSeconds: number; readonly besideSeconds: number };

export async function measureFairness(options: FairnessOptions): Promise<FairnessResult> {
  return {
    aloneSeconds: await measureTenantSeconds(options, 0),
    besideSeconds: await measureTenantSeconds(options, options.many),
  };
}

async function measureTenantSeconds(
  { url, workers: count, concurrency, steps, few }: FairnessOptions,
  many: number,
): Promise<number> {
  const place = await openBenchEnvironment(url);
  const { queue, prefix } = place;
  // Register both tenants first, so that the workers serve both from the start.
  await Promise.all(['many', 'few'].map((tenant) => queue.parts.queues.register(tenant)));
  const plan = { kind: 'pawl', url, prefix, concurrency, steps, leaseMs: 10_000 } as const;
  const workers = await Promise.all(Array.from({ length: count }, () => startWorkerProcess(plan)));
  const [queueOfMany, queueOfFew] = ['many', 'few'].map((tenant) => queue.parts.queues.getQueue(tenant));
  if (queueOfMany === undefined || queueOfFew === undefined) throw new Error('Expected two queues');
  await place.submit('warm', 20, 'many');
  await waitUntilDrained(queueOfMany);
  await Promise.all([queueOfMany.pause(), queueOfFew.pause()]);
  await place.submit('many', many, 'many');
  await place.submit('few', few, 'few');
  const start = performance.now();
  await queueOfMany.resume();
  await queueOfFew.resume();
  await waitUntilDrained(queueOfFew);
  const seconds = (performance.now() - start) / 1_000;
  await waitUntilDrained(queueOfMany);
  await Promise.all(workers.map((worker) => worker.end()));
  await place.close();
  return seconds;
}
