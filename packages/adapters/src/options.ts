import type { Budgets, GovernorSettings, Rule, Verdict } from '@pawl/core';

/** What every adapter takes. All of it may be left out. */
export type GovernOptions = {
  /** Changes to single rules: other thresholds, or false to leave a rule out. */
  readonly rules?: GovernorSettings['rules'];
  /** Rules of your own, judged after the others. */
  readonly ownRules?: readonly Rule[];
  /** What the conversation may use up. A budget that is used up ends it with an answer. */
  readonly budgets?: Partial<Budgets>;
  /**
   * Whether what a tool said is a failure, where the host does not mark failures. Without it, texts that begin the way
   * errors do are taken for failures.
   */
  readonly isFailure?: (said: string) => boolean;
  /** The time in milliseconds. Without it each round of calls counts as half a minute towards `wallMs`. */
  readonly now?: () => number;
  /** Hears each verdict once. */
  readonly onVerdict?: (verdict: Verdict) => void;
};
