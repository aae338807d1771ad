import type { BudgetLimits, GovernorSettings, Verdict } from '@pawl/core';
import type { Rule } from '@pawl/governor';

/** Options of every adapter; all are optional. */
export type GovernOptions = {
  /** Overrides of individual rules: other thresholds, or false to disable a rule. */
  readonly rules?: GovernorSettings['rules'];
  /** Custom rules, evaluated after the built-in ones. */
  readonly ownRules?: readonly Rule[];
  /** Budget limits of the conversation. An exhausted budget ends it with a final answer. */
  readonly budgets?: Partial<BudgetLimits>;
  /**
   * Whether a tool's output is a failure, for hosts that do not mark failures. By default, the governor reads the
   * output: exit codes, and what shells, compilers, test runners and other programs print when they fail.
   */
  readonly isFailure?: (text: string) => boolean;
  /** The current time in milliseconds. Without it, each round of calls counts as 30 seconds toward `wallMs`. */
  readonly now?: () => number;
  /** Called once for each verdict. */
  readonly onVerdict?: (verdict: Verdict) => void;
};
