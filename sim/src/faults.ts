import type { Choices } from './choices.ts';

/** What can go wrong, and how often it does per opportunity unless a plan says otherwise. */
export const usualRates = {
  /** A process ends without a word. */
  crash: 0.006,
  /** The same, while it takes a session up. */
  'crash-in-recovery': 0.03,
  /** Someone takes a session over from a process that lives. */
  'take-over': 0.012,
  /** A process is told to end, and has a moment. */
  leave: 0.005,
  /** The store did it, and says that it failed. */
  'unknown-kept': 0.03,
  /** The store did not do it, and says that it failed. */
  'unknown-lost': 0.03,
  /** There is no room, for a while. */
  full: 0.015,
  /** Somebody else keeps it locked. */
  busy: 0.02,
  'slow-disk': 0.05,
  /** Somebody makes a snapshot. */
  snapshot: 0.2,
  /** The snapshot is damaged, or an older one is put back. */
  'snapshot-damage': 0.5,
  'clock-jump': 0.02,
  'clock-drift': 1,
  'model-error': 0.15,
  'model-truncated': 0.08,
  'model-stall': 0.04,
  'model-garbage': 0.15,
  'tool-hang': 0.05,
  'tool-throw': 0.1,
  /** The tool does its work and does not answer. */
  'tool-mute': 0.06,
  /** What comes back cannot be kept. */
  'tool-unfit': 0.06,
  'spool-error': 0.08,
  'hooks-fail': 0.15,
  'person-late': 0.3,
  'person-never': 0.15,
  /** An answer comes a second time, and says something else. */
  'double-answer': 0.3,
} as const;

/** What can go wrong with workers on a queue, beside some of the above. */
export const workerRates = {
  /** A worker stops for longer than its lease, and goes on as if nothing had happened. */
  stop: 0.006,
  /** The same, after its last look at the lease and before what it looked for has begun. */
  'stop-before-start': 0.06,
  /** A job does not get into the queue, or gets lost there. */
  'job-lost': 0.1,
  /** A session gets a second job, for another worker to take at the same time. */
  'job-twice': 0.15,
  'job-late': 0.1,
  'job-out-of-order': 0.3,
  /** The queue forgets who holds a job before the time is over. */
  'lock-lost': 0.004,
  /** What measures time in a worker runs slow or fast. */
  'stopwatch-drift': 0.7,
  /** Somebody asks once more for what was asked for already. */
  'command-twice': 0.2,
} as const;

export type FaultName = keyof typeof usualRates | keyof typeof workerRates;

export type FaultRates = Partial<Readonly<Record<FaultName, number>>>;

export type Faults = {
  /** Whether this goes wrong now. `where` tells this opportunity from others of the same kind. */
  strikes(fault: FaultName, where: string): boolean;
  /** Which of these strikes now, if any. */
  strikesOneOf(faults: readonly FaultName[], where: string): FaultName | null;
  /** From now on nothing goes wrong. */
  heal(): void;
  readonly healed: boolean;
  /** How often each has struck. */
  readonly struck: ReadonlyMap<FaultName, number>;
};

export function createFaults(rates: FaultRates, choices: Choices): Faults {
  const struck = new Map<FaultName, number>();
  let healed = false;
  const count = (fault: FaultName): void => void struck.set(fault, (struck.get(fault) ?? 0) + 1);
  return {
    strikes(fault, where) {
      const rate = rates[fault] ?? 0;
      if (healed || rate === 0) return false;
      const strikes = choices.choose(`${fault} ${where}`, (random) => (random.chance(rate) ? 1 : 0)) !== 0;
      if (strikes) count(fault);
      return strikes;
    },
    strikesOneOf(among, where) {
      if (healed || !among.some((fault) => (rates[fault] ?? 0) > 0)) return null;
      const drawn = choices.choose(where, (random) => {
        let left = random.next();
        return 1 + among.findIndex((fault) => (left -= rates[fault] ?? 0) < 0);
      });
      const fault = among[drawn - 1];
      // A script may name what this plan does not have.
      if (fault === undefined || (rates[fault] ?? 0) === 0) return null;
      count(fault);
      return fault;
    },
    heal() {
      healed = true;
    },
    get healed() {
      return healed;
    },
    struck,
  };
}
