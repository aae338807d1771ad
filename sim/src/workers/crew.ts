import type { Store } from '@pawl/runtime';
import type { Care } from '../../../packages/worker/src/care.ts';
import type { Stopwatch } from '../../../packages/worker/src/stopwatch.ts';
import type { Look } from '../../../packages/worker/src/sweep.ts';
import type { Driver, SimProcess, World } from '../world.ts';
import type { SimQueue } from './sim-queue.ts';

/** Everything that a run with workers is made of besides the world. */
export type Crew = {
  readonly world: World;
  readonly queue: SimQueue;
  /** As it is kept; workers use it through ports. */
  readonly care: Care;
  readonly parts: WorkerParts;
  /** How each taking up of a session ended, as far as it has. */
  readonly takings: Map<string, Taking[]>;
  readonly counts: WorkerCounts;
};

export type WorkerCounts = {
  /** How often a worker stopped for longer than its lease, and how often one was gone. */
  stops: number;
  crashes: number;
  /** How often a session was taken up, parked, and found by a sweep. */
  takings: number;
  parked: number;
  swept: number;
};

/** `gone`: it was never heard of again. `unheard`: it ended in order, and nobody could be told. */
export type Taking = { readonly driver: Driver; how: 'gone' | 'lost' | 'unheard' | 'trouble' | 'in order' };

/** How a worker is put together. A planted bug is another way to do it. */
export type WorkerParts = {
  store(store: Store, world: World): Store;
  stopwatch(stopwatch: Stopwatch, process: SimProcess, world: World): Stopwatch;
  extend(extend: () => Promise<boolean>): () => Promise<boolean>;
  care(care: Care): Care;
  look(look: Look): Look;
  commands(commands: Store['commands'], world: World): Store['commands'];
};

export const soundParts: WorkerParts = {
  store: (store) => store,
  stopwatch: (stopwatch) => stopwatch,
  extend: (extend) => extend,
  care: (care) => care,
  look: (look) => look,
  commands: (commands) => commands,
};
