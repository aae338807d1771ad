import { usualRates, workerRates, type FaultName } from '../faults.ts';
import { faultsFor, scheduleFor, sessionFor, sqliteEvery, type Plan } from '../plan.ts';
import { createRandom } from '../random.ts';

/** What has to do with a person at the same machine, with taking over by hand or with snapshots is in the other world. */
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

/** One of so many sessions brings every worker down that takes it up. */
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
