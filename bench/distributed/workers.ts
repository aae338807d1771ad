import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a worker process is told. */
export type ChildPlan = {
  /** `raw` is BullMQ alone; `stuck` is a worker of Pawl whose model never answers. */
  readonly kind: 'raw' | 'pawl' | 'stuck';
  readonly url: string;
  readonly prefix: string;
  /** Sessions, or jobs, at once. */
  readonly concurrency: number;
  readonly steps: number;
  readonly leaseMs: number;
};

export type WorkerProcess = {
  /** What it takes from now on is counted. */
  mark(): void;
  /** Milliseconds of processor time since the mark. */
  end(): Promise<number>;
  kill(): Promise<void>;
};

const child = fileURLToPath(new URL('child.ts', import.meta.url));

/** Resolves once it is connected and takes work. */
export async function startWorkerProcess(plan: ChildPlan): Promise<WorkerProcess> {
  const started = spawn(process.execPath, [child, JSON.stringify(plan)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  }) as unknown as ChildProcessWithoutNullStreams;
  const [said] = (await Promise.race([once(started.stdout, 'data'), once(started, 'exit')])) as [unknown];
  if (!Buffer.isBuffer(said)) throw new Error(`Expected a worker (${plan.kind}) to start, and it has ended`);
  return {
    mark: () => void started.stdin.write('\n'),
    async end() {
      const [told, ended] = [once(started.stdout, 'data'), once(started, 'exit')];
      started.stdin.end();
      const [line] = (await told) as [Buffer];
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
