import type { Agent } from '@pawl/runtime';
import type { Store } from '@pawl/runtime/store';
import type { ProcessAssembly } from './process-assembly.ts';
import type { ChoiceSource } from './choices.ts';
import type { FaultInjector } from './fault-injector.ts';
import type { SimOracle } from './oracle/oracle.ts';
import type { ExternalWorld } from './external-world.ts';
import type { SimPlan } from './plan.ts';
import type { SimScheduler } from './scheduler.ts';
import type { SpooledResult } from './sim-spool.ts';

/** A simulated process; when it ends, its pending calls never complete. */
export type SimProcess = {
  readonly name: string;
  readonly slot: number;
  isAlive: boolean;
  isShuttingDown: boolean;
  /** Its wall-clock time is `now * drift + shift`. */
  drift: number;
  offsetMs: number;
  readonly store: Store;
};

/** One attempt of one process to run one session. */
export type SessionDriver = {
  readonly name: string;
  readonly process: SimProcess;
  readonly session: string;
  agent: Agent | null;
  /** Whether it is still reconciling interrupted calls. */
  isRecovering: boolean;
  ended: boolean;
};

/** All components of a run. */
export type SimWorld = {
  readonly plan: SimPlan;
  readonly choices: ChoiceSource;
  readonly faults: FaultInjector;
  readonly scheduler: SimScheduler;
  readonly oracle: SimOracle;
  readonly externalWorld: ExternalWorld;
  /** How processes are assembled. */
  readonly assembly: ProcessAssembly;
  readonly disk: SimDisk;
  /** The driver of each session, as known from outside. */
  readonly drivers: Map<string, SessionDriver>;
};

/** Storage that outlives processes. */
export type SimDisk = {
  /** Opens a process's connection to the store. */
  connect(): Store;
  /** Spooled results by session and execution. */
  readonly spools: Map<string, Map<string, SpooledResult>>;
  fullUntil: number;
  /** Damages the snapshot of a session, if any; returns false if this store does not support it. */
  damageSnapshot(session: string, how: number): boolean;
  remove(): void;
};
