import type { ChoiceSource } from './choices.ts';

/** The default probability of each fault per opportunity. */
export const usualFaultRates = {
  /** A process crashes. */
  crash: 0.006,
  /** A process crashes while it resumes a session. */
  'crash-in-recovery': 0.03,
  /** Another process takes over a session whose owner is still alive. */
  'take-over': 0.012,
  /** A process is asked to shut down and has a grace period. */
  leave: 0.005,
  /** The write succeeds, but the store reports an error. */
  'unknown-kept': 0.03,
  /** The write fails, and the store reports an error. */
  'unknown-lost': 0.03,
  /** The disk is full for a while. */
  full: 0.015,
  /** Another connection holds the lock. */
  busy: 0.02,
  'slow-disk': 0.05,
  /** A snapshot is taken. */
  snapshot: 0.2,
  /** The snapshot is damaged or replaced by an older one. */
  'snapshot-damage': 0.5,
  'clock-jump': 0.02,
  'clock-drift': 1,
  'model-error': 0.15,
  'model-truncated': 0.08,
  'model-stall': 0.04,
  'model-garbage': 0.15,
  'tool-hang': 0.05,
  'tool-throw': 0.1,
  /** The tool does its work but never returns. */
  'tool-mute': 0.06,
  /** The result cannot be persisted. */
  'tool-unfit': 0.06,
  'spool-error': 0.08,
  'hooks-fail': 0.15,
  'person-late': 0.3,
  'person-never': 0.15,
  /** An answer arrives a second time with different content. */
  'double-answer': 0.3,
} as const;

/** Additional faults for workers on a queue. */
export const workerFaultRates = {
  /** A worker pauses for longer than its lease and then continues. */
  stop: 0.006,
  /** The same pause, between the last lease check and the start of the work it guards. */
  'stop-before-start': 0.06,
  /** A job is not enqueued, or the queue loses it. */
  'job-lost': 0.1,
  /** A session gets a second job that another worker can take at the same time. */
  'job-twice': 0.15,
  'job-late': 0.1,
  'job-out-of-order': 0.3,
  /** The queue loses the lock of a job before it expires. */
  'lock-lost': 0.004,
  /** A worker's monotonic timer runs slow or fast. */
  'stopwatch-drift': 0.7,
  /** A command is sent again under the same request id. */
  'command-twice': 0.2,
} as const;

export type FaultName = keyof typeof usualFaultRates | keyof typeof workerFaultRates;

export type FaultRates = Partial<Readonly<Record<FaultName, number>>>;

export type FaultInjector = {
  /** Whether the fault occurs now. `where` distinguishes opportunities of the same kind. */
  shouldFail(fault: FaultName, where: string): boolean;
  /** Returns which of the faults occurs now, if any. */
  drawFault(faults: readonly FaultName[], where: string): FaultName | null;
  /** Stops all faults from now on. */
  disable(): void;
  readonly isDisabled: boolean;
  /** How often each fault occurred. */
  readonly counts: ReadonlyMap<FaultName, number>;
};

export function createFaultInjector(rates: FaultRates, choices: ChoiceSource): FaultInjector {
  const counts = new Map<FaultName, number>();
  let healed = false;
  const count = (fault: FaultName): void => void counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return {
    shouldFail(fault, where) {
      const rate = rates[fault] ?? 0;
      if (healed || rate === 0) return false;
      const occurs = choices.choose(`${fault} ${where}`, (random) => (random.chance(rate) ? 1 : 0)) !== 0;
      if (occurs) count(fault);
      return occurs;
    },
    drawFault(among, where) {
      if (healed || !among.some((fault) => (rates[fault] ?? 0) > 0)) return null;
      const drawn = choices.choose(where, (random) => {
        let left = random.next();
        return 1 + among.findIndex((fault) => (left -= rates[fault] ?? 0) < 0);
      });
      const fault = among[drawn - 1];
      // A script may name faults that this plan does not have.
      if (fault === undefined || (rates[fault] ?? 0) === 0) return null;
      count(fault);
      return fault;
    },
    disable() {
      healed = true;
    },
    get isDisabled() {
      return healed;
    },
    counts,
  };
}
