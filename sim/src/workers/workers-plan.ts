import { usualFaultRates, workerFaultRates, type FaultName } from '../fault-injector.ts';
import {
  drawFaultRates,
  drawSchedulePolicy,
  drawPlannedSession,
  sqliteSeedInterval,
  type SimPlan,
} from '../plan.ts';
import { createRandomSource } from '../random.ts';

/** Faults that apply only without workers: a user at the same machine, manual takeovers and snapshots. */
const excludedFaults: ReadonlySet<string> = new Set<FaultName>([
  'crash-in-recovery',
  'take-over',
  'snapshot',
  'snapshot-damage',
  'person-late',
  'person-never',
  'double-answer',
]);

export const workersFaultRates: Partial<Readonly<Record<FaultName, number>>> = Object.fromEntries(
  Object.entries({ ...usualFaultRates, ...workerFaultRates }).filter(([name]) => !excludedFaults.has(name)),
);

/** Share of poison sessions. */
const poisonRate = 0.05;

export function createWorkersPlan(seed: number, workersMax: number): SimPlan {
  const random = createRandomSource(seed * 2 + 1);
  const sessions = Array.from({ length: random.pick([1, 2, 2, 3, 4, 6]) }, () => ({
    ...drawPlannedSession(random),
    poison: random.chance(poisonRate),
  }));
  return {
    seed,
    processes: Math.max(1, workersMax - random.below(Math.max(1, workersMax - 1))),
    sessions,
    faults: drawFaultRates(random, workersFaultRates),
    schedule: drawSchedulePolicy(random),
    store: seed % sqliteSeedInterval === 0 ? 'sqlite' : 'memory',
  };
}
