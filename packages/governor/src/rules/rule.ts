import type { ObservationKind, ObservationByKind } from '../observations/observation.ts';

/**
 * Severity of a match, mildest first: advise the model, block the call, ask a person, stop the work with a final answer.
 */
export type RuleSeverity = 'advise' | 'block' | 'ask' | 'stop';

/** The count at which a rule reaches each severity; null for never. */
export type RuleThresholds = {
  readonly advise: number | null;
  readonly block: number | null;
  readonly ask?: number | null;
  readonly stop: number | null;
};

/** A match of a rule. `count` is compared with the rule's thresholds. */
export type RuleMatch = {
  readonly count: number;
  /** The observations that prove the match, oldest first. */
  readonly evidence: readonly { readonly seq: number }[];
  /** Identifies the loop, so that advice is given once per loop. */
  readonly loop: string;
  readonly reason: string;
  readonly advice: string;
};

/** A rule on observations of one kind. */
export type ObservationRule<Kind extends ObservationKind> = {
  readonly id: string;
  /** Why the pattern is a sign that the agent is stuck. */
  readonly rationale: string;
  /** The first log version whose sessions have this built-in rule; all have it if absent. See docs/replay.md. */
  readonly since?: number;
  readonly on: Kind;
  readonly thresholds: RuleThresholds;
  /** What is counted, if not calls: seconds, replies. */
  readonly unit?: string;
  readonly match: (window: readonly ObservationByKind<Kind>[]) => RuleMatch | null;
};

/** A rule on tool calls may omit `on`. */
export type CallRule = Omit<ObservationRule<'call'>, 'on'> & {
  readonly on?: 'call';
  /**
   * Whether the rule counts only calls whose outcomes have occurred in the window before. It is skipped after a call
   * with a new outcome, because its count is then at most 1.
   */
  readonly isOnKnownOutcomes?: boolean;
};

/**
 * A rule receives the latest observations of its kind, newest last, and returns what it detects at the newest one, or
 * null. It is pure, and its cost is bounded by the window size.
 */
export type Rule =
  | CallRule
  | ObservationRule<'wait'>
  | ObservationRule<'text'>
  | ObservationRule<'decision'>
  | ObservationRule<'paging'>
  | ObservationRule<'repetition-loop'>
  | ObservationRule<'mode'>;
