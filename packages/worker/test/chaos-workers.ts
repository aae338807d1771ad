import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readEffectLedger, listOpenEffects } from './chaos-ledger.ts';
import type { CuttingProxy } from './cutting-proxy.ts';
import type { RedisServer } from './redis-server.ts';

const leaseMs = 1_500;
const program = fileURLToPath(new URL('./fixtures/worker-process.ts', import.meta.url));

/** Workers, each a process of its own. */
export type WorkerCrew = {
  /** Those that are there. */
  running(): readonly ChildProcess[];
  start(): void;
  /** Ends one as the loss of power would. */
  kill(child: ChildProcess): Promise<void>;
  /** Tells all of them to leave, and gives how each has ended. */
  stopAll(): Promise<readonly (number | null)[]>;
  /** Throws with the last output if a worker exited that was not stopped. */
  check(): void;
};

/** How much of what a worker says is kept. */
const keptChars = 4_000;

export function createWorkerCrew(url: string, prefix: string, folder: string): WorkerCrew {
  const children: ChildProcess[] = [];
  const ended = new Set<ChildProcess>();
  const ready = new Map<ChildProcess, Promise<void>>();
  const unexpectedExits: string[] = [];
  const running = (): readonly ChildProcess[] => children.filter(isRunning);
  const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
    // One that is gone already was not ended here.
    if (!isRunning(child)) return;
    ended.add(child);
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  return {
    running,
    start() {
      const args = [program, url, prefix, folder, String(leaseMs)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      children.push(child);
      const { promise: isReady, resolve } = Promise.withResolvers<void>();
      ready.set(child, isReady);
      child.once('exit', () => resolve());
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          output = `${output}${chunk.toString()}`.slice(-keptChars);
          if (output.includes('ready\n')) resolve();
        });
      // Only then is all there that it said.
      child.on('close', (code, signal) => {
        if (!ended.has(child))
          unexpectedExits.push(`Worker ${child.pid} ended by itself (${signal ?? code}):\n${output}`);
      });
    },
    kill: (child) => end(child, 'SIGKILL'),
    async stopAll() {
      const staying = running();
      // One that still starts does not know yet what to do when it is told to leave.
      for (const child of staying) await ready.get(child);
      await Promise.all(staying.map((child) => end(child, 'SIGTERM')));
      return staying.map(({ exitCode }) => exitCode);
    },
    check() {
      if (unexpectedExits.length > 0) throw new Error(unexpectedExits.join('\n'));
    },
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** What has happened to them so far. */
export type ChaosCounts = { kills: number; stops: number; restarts: number; cuts: number };

export type ChaosScene = {
  readonly server: RedisServer;
  readonly proxy: CuttingProxy;
  readonly workers: WorkerCrew;
  readonly folder: string;
  readonly happened: ChaosCounts;
};

/** How long to wait for a worker that is in the middle of something. */
const patienceMs = 60_000;

/** A worker that is in the middle of something that must not happen twice; any, if none is for long. */
async function findBusyWorker({ workers, folder }: ChaosScene): Promise<ChildProcess> {
  for (const late = Date.now() + patienceMs; ;) {
    workers.check();
    const open = listOpenEffects(readEffectLedger(folder));
    const running = workers.running();
    const found =
      running.find((child) => open.some(({ pid }) => pid === child.pid)) ??
      (Date.now() > late ? running[0] : undefined);
    if (found !== undefined) return found;
    await sleep(5);
  }
}

/** One mishap: a worker is killed or stops for longer than its lease, Redis is killed, or an answer of it gets lost. */
export async function causeMishap(round: number, context: ChaosScene): Promise<void> {
  const { server, proxy, workers, happened } = context;
  const victim = await findBusyWorker(context);
  switch (round % 4) {
    case 0:
      await workers.kill(victim);
      workers.start();
      happened.kills += 1;
      return;
    case 1:
      victim.kill('SIGSTOP');
      await sleep(leaseMs * 1.5);
      victim.kill('SIGCONT');
      happened.stops += 1;
      return;
    case 2:
      await server.kill();
      await sleep(200);
      await server.start();
      happened.restarts += 1;
      return;
    default: {
      // The write that stores the start of a call reaches Redis, but its reply is lost.
      const before = proxy.cuts();
      proxy.cutAfter('tool-started');
      for (const late = Date.now() + patienceMs; proxy.cuts() === before && Date.now() < late;)
        await sleep(5);
      happened.cuts += proxy.cuts() - before;
    }
  }
}
