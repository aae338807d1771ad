import type { Observation } from './observation.ts';

/** How grave a finding is, mildest first: tell the model, refuse the call, end the work with an answer. */
export type Level = 'advise' | 'refuse' | 'finish';

/** From how many on a rule has which consequence; null for never. */
export type Thresholds = { readonly [Name in Level]: number | null };

/** What a rule saw. `count` is compared with its thresholds. */
export type Sight = {
  readonly count: number;
  /** The observations that prove it, oldest first. */
  readonly evidence: readonly Observation[];
  /** What makes this loop this loop and no other, so that advice is given once for each. */
  readonly loop: string;
  readonly reason: string;
  readonly advice: string;
};

/**
 * A rule looks at the latest observations, newest last, and says what it sees in the newest one, or null.
 * Pure, and its cost is bounded by the length of the window.
 */
export type Rule = {
  readonly id: string;
  /** Why this is a sign of going round in circles. */
  readonly because: string;
  readonly thresholds: Thresholds;
  readonly look: (window: readonly Observation[]) => Sight | null;
};
