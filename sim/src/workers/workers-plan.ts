import { usualRates, workerRates, type FaultName } from '../faults.ts';
import { faultsFor, scheduleFor, sessionFor, sqliteEvery, type Plan } from '../plan.ts';
import { createRandom } from '../random.ts';

/** Faults of the other world: a person at the same machine, taking over by hand, snapshots. */
const elsewhere: ReadonlySet<string> = new Set<FaultName>([
  'crash-in-recovery',
  'take-over',
  'snapshot',
  'snapshot-damage',
  'person-late',
  'person-never',
  'double-answer',
]);

export const ratesForWorkers: Partial<Readonly<Record<FaultName, number>>> = Object.fromEntries(
  Object.entries({ ...usualRates, ...workerRates }).filter(([name]) => !elsewhere.has(name)),
);

/** How many of the sessions bring down every worker that takes them up. */
const poisonRate = 0.05;

export function workersPlanFor(seed: number, workersMax: number): Plan {
  const random = createRandom(seed * 2 + 1);
  const sessions = Array.from({ length: random.pick([1, 2, 2, 3, 4, 6]) }, () => ({
    ...sessionFor(random),
    poison: random.chance(poisonRate),
  }));
  return {
    seed,
    processes: Math.max(1, workersMax - random.below(Math.max(1, workersMax - 1))),
    sessions,
    faults: faultsFor(random, ratesForWorkers),
    schedule: scheduleFor(random),
    store: seed % sqliteEvery === 0 ? 'sqlite' : 'memory',
  };
}
