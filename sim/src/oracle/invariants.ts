/** The invariants, numbered as in docs/simulation.md. */
export const simInvariants = {
  1: 'what must not be repeated is started once, and what can be is done once',
  2: 'nothing is started that is not on record, with these very arguments',
  3: 'every start ends in one result, and the result is true',
  4: 'nothing is started once its result is told',
  5: 'events have no gaps and come from the last to claim the session',
  6: 'nobody sees what is not kept',
  7: 'what was acknowledged is kept, once',
  8: 'the log, the live session and the opened session are the same',
  9: 'the model is sent a valid history',
  10: 'nothing of a reply runs that did not come to its end',
  11: 'what was asked about runs only if it was allowed, as it was shown',
  12: 'whoever watches sees every event once, in order',
  13: 'the model is asked no more often than it has to be, and no more than was paid for',
  14: 'events for which there was no room are the next to be kept, together',
  15: 'whoever begins something holds the session at that moment, by the queue that gave it',
  17: 'nothing that is only for show is kept',
  18: 'when nothing fails any more, every session comes to rest and nothing is left waiting',
  19: 'nothing real is used: no clock, no timer, no chance, no network',
  20: 'the same seed makes the same run',
  21: 'a session is left alone only for cause',
} as const;

export type InvariantNumber = keyof typeof simInvariants;

export type InvariantViolation = {
  readonly invariant: InvariantNumber;
  readonly what: string;
  readonly step: number;
};
