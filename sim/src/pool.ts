import { Worker } from 'node:worker_threads';
import type { PoolResponse, PoolRequest } from './seeds-worker.ts';

/** A pool of simulation threads, each with its own global traps. */
export type SimThreadPool = {
  run(request: PoolRequest): Promise<Exclude<PoolResponse, { kind: 'error' }>>;
  close(): Promise<void>;
};

export function createSimThreadPool(jobs: number): SimThreadPool {
  const workers = Array.from(
    { length: jobs },
    () =>
      new Worker(new URL('./seeds-worker.ts', import.meta.url), {
        execArgv: ['--disable-warning=ExperimentalWarning'],
      }),
  );
  const free = [...workers];
  const waiting: ((worker: Worker) => void)[] = [];
  const release = (worker: Worker): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(worker);
    else next(worker);
  };
  const acquire = (): Promise<Worker> => {
    const worker = free.pop();
    return worker === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(worker);
  };
  return {
    async run(request) {
      const worker = await acquire();
      try {
        const response = await sendPoolRequest(worker, request);
        if (response.kind === 'error') throw new Error(response.message);
        return response;
      } finally {
        release(worker);
      }
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function sendPoolRequest(worker: Worker, request: PoolRequest): Promise<PoolResponse> {
  return new Promise((resolve, reject) => {
    const onResponse = (response: PoolResponse): void => {
      worker.off('error', reject);
      resolve(response);
    };
    worker.once('message', onResponse);
    worker.once('error', reject);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(request);
  });
}
