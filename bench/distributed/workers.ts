import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Configuration of a worker process. */
export type WorkerProcessPlan = {
  /** `raw` is BullMQ alone; `stuck` is a Pawl worker whose model never answers. */
  readonly kind: 'raw' | 'pawl' | 'stuck';
  readonly url: string;
  readonly prefix: string;
  /** Concurrent sessions or jobs. */
  readonly concurrency: number;
  readonly steps: number;
  readonly leaseMs: number;
};

export type WorkerProcess = {
  /** Resets the CPU time baseline. */
  resetCpuBaseline(): void;
  /** Stops the worker and resolves to its CPU time since the baseline, in milliseconds. */
  end(): Promise<number>;
  kill(): Promise<void>;
};

const workerChildFile = fileURLToPath(new URL('child.ts', import.meta.url));

/** Resolves once the worker is connected and accepts jobs. */
export async function startWorkerProcess(plan: WorkerProcessPlan): Promise<WorkerProcess> {
  const started = spawn(process.execPath, [workerChildFile, JSON.stringify(plan)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  }) as unknown as ChildProcessWithoutNullStreams;
  const [readyLine] = (await Promise.race([once(started.stdout, 'data'), once(started, 'exit')])) as [
    unknown,
  ];
  if (!Buffer.isBuffer(readyLine)) throw new Error(`Expected a worker (${plan.kind}) to start, but it ended`);
  return {
    resetCpuBaseline: () => void started.stdin.write('\n'),
    async end() {
      const [output, ended] = [once(started.stdout, 'data'), once(started, 'exit')];
      started.stdin.end();
      const [line] = (await output) as [Buffer];
      await ended;
      return (JSON.parse(line.toString()) as { readonly processorMs: number }).processorMs;
    },
    async kill() {
      const ended = once(started, 'exit');
      started.kill('SIGKILL');
      await ended;
    },
  };
}
