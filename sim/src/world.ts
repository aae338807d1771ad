import type { Agent, Store } from '@pawl/runtime';
import type { Assembly } from './assembly.ts';
import type { Choices } from './choices.ts';
import type { Faults } from './faults.ts';
import type { Oracle } from './oracle/oracle.ts';
import type { Outside } from './outside.ts';
import type { Plan } from './plan.ts';
import type { Scheduler } from './scheduler.ts';
import type { KeptResult } from './sim-spool.ts';

/** A process: it runs until it ends, and what it was waiting for then never comes. */
export type SimProcess = {
  readonly name: string;
  readonly slot: number;
  alive: boolean;
  leaving: boolean;
  /** What its clock shows is `now * drift + shift`. */
  drift: number;
  shift: number;
  readonly store: Store;
};

/** One try of one process to run one session. */
export type Driver = {
  readonly name: string;
  readonly process: SimProcess;
  readonly session: string;
  agent: Agent | null;
  /** It has not yet found out what became of what was running. */
  recovering: boolean;
  gone: boolean;
};

/** Everything a run is made of. */
export type World = {
  readonly plan: Plan;
  readonly choices: Choices;
  readonly faults: Faults;
  readonly scheduler: Scheduler;
  readonly oracle: Oracle;
  readonly outside: Outside;
  /** How processes are put together. */
  readonly assembly: Assembly;
  readonly disk: Disk;
  /** Who runs each session, as far as those outside know. */
  readonly drivers: Map<string, Driver>;
};

/** What outlives a process. */
export type Disk = {
  /** A connection of one process to the store. */
  connect(): Store;
  /** What is kept of calls, by session and execution. */
  readonly spools: Map<string, Map<string, KeptResult>>;
  fullUntil: number;
  /** Damages the snapshot of a session, where there is one; false if that cannot be done to this store. */
  damageSnapshot(session: string, how: number): boolean;
  remove(): void;
};
