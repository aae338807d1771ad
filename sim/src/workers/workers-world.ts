import type { Store } from '@pawl/runtime/store';
import type { CrashLedger } from '../../../packages/worker/src/crash-ledger.ts';
import type { MonotonicTimer } from '../../../packages/worker/src/session-lease.ts';
import type { SweepProbe } from '../../../packages/worker/src/sweep.ts';
import type { SessionDriver, SimProcess, SimWorld } from '../sim-world.ts';
import type { SimQueue } from './sim-queue.ts';

/** The components of a run with workers in addition to the world. */
export type WorkersWorld = {
  readonly world: SimWorld;
  readonly queue: SimQueue;
  /** The shared crash ledger; workers access it through ports. */
  readonly crashLedger: CrashLedger;
  readonly parts: WorkerParts;
  /** How each attempt to resume a session ended so far. */
  readonly attempts: Map<string, ResumeAttempt[]>;
  readonly counts: WorkerCounts;
};

export type WorkerCounts = {
  /** Number of pauses beyond the lease, and number of crashes. */
  stops: number;
  crashes: number;
  /** Number of resume attempts, parked sessions, and sessions woken by a sweep. */
  resumeAttempts: number;
  parked: number;
  swept: number;
};

/** `gone`: its end was never reported. `unheard`: it ended normally, but the report was lost. */
export type ResumeAttempt = {
  readonly driver: SessionDriver;
  ending: 'gone' | 'lost' | 'unheard' | 'trouble' | 'in order';
};

/** How a worker is assembled. A planted bug replaces one of the parts. */
export type WorkerParts = {
  store(store: Store, world: SimWorld): Store;
  timer(timer: MonotonicTimer, process: SimProcess, world: SimWorld): MonotonicTimer;
  extend(extend: () => Promise<boolean>): () => Promise<boolean>;
  crashLedger(crashLedger: CrashLedger): CrashLedger;
  sweepProbe(probe: SweepProbe): SweepProbe;
  commands(commands: Store['commands'], world: SimWorld): Store['commands'];
};

export const soundWorkerParts: WorkerParts = {
  store: (store) => store,
  timer: (timer) => timer,
  extend: (extend) => extend,
  crashLedger: (crashLedger) => crashLedger,
  sweepProbe: (probe) => probe,
  commands: (commands) => commands,
};
