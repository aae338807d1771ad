/** The invariants, numbered as in docs/simulation.md. */
export const simInvariants = {
  1: 'a non-repeatable call starts once, and a repeatable one takes effect once',
  2: 'every started call is persisted with the same arguments',
  3: 'every start has exactly one result, and the result is correct',
  4: 'no call starts after its result is reported',
  5: 'events have no gaps and are written by the latest owner',
  6: 'no observer sees unpersisted data',
  7: 'acknowledged data is persisted exactly once',
  8: 'the log, the live session and the opened session agree',
  9: 'every model request has a valid history',
  10: 'no call of an incomplete reply runs',
  11: 'a call that needs approval runs only if it was approved, with the arguments shown',
  12: 'an observer sees every event once, in order',
  13: 'model requests are not duplicated and stay within the budget',
  14: 'events rejected by a full disk are the next to be persisted, together',
  15: 'a worker starts work only while it holds the lock of the job',
  17: 'ephemeral events are not persisted',
  18: 'once faults end, every session comes to rest and no task is left waiting',
  19: 'the run uses no real clock, timer, randomness or network',
  20: 'the same seed produces the same run',
  21: 'a session is parked only after repeated crashes',
} as const;

export type InvariantNumber = keyof typeof simInvariants;

export type InvariantViolation = {
  readonly invariant: InvariantNumber;
  readonly what: string;
  readonly step: number;
};
