import { defaultMaxRecoveries, type GovernorSettings } from '@pawl/governor';
import type { MemorySettings } from '../memory/settings.ts';
import type { ModeChart } from '../modes/mode-chart.ts';

/** A profile's settings for the turn machine, including all limits. */
export type SessionSettings = {
  /** The Nth consecutive failure gives up, so N - 1 retries happen automatically. */
  readonly maxRetries: number;
  /** Delay before the first retry; it doubles with each further one. */
  readonly retryBaseMs: number;
  readonly retryMaxMs: number;
  /** If a provider asks for a longer delay than this, give up instead of retrying earlier. */
  readonly retryAfterMaxMs: number;
  /** Hooks run when one of these tools has succeeded. */
  readonly mutatingTools: readonly string[];
  /** Whether every tool round passes through `progressCheck`. */
  readonly progressCheck: boolean;
  /** Whether a context overflow leads to paging instead of a plain retry. */
  readonly pageOnOverflow: boolean;
  /** Whether paging after a context overflow compacts the conversation. */
  readonly compact: boolean;
  /** Size of the model's context window in tokens, so that paging starts before it is full; null if unknown. */
  readonly windowTokens: number | null;
  /** How many consecutive stuck verdicts may start a recovery before the session halts. */
  readonly maxRecoveries: number;
  readonly haltOnFailedPhase: boolean;
  /**
   * Whether a user message continues a session that the governor, a budget or a failed phase has stopped. Sessions of
   * older releases do not have this setting, and their stops are final.
   */
  readonly continueAfterStop?: boolean;
  readonly governor: GovernorSettings;
  /** The mode chart; null for no modes. */
  readonly chart: ModeChart | null;
  /** Working-memory limits and logs; null for no working memory. */
  readonly memory: MemorySettings | null;
  /** Time limit for the last answer, retries included; null for none. */
  readonly finishMs: number | null;
  /** Budget limits of the session; null for none. */
  readonly budgets: BudgetLimits | null;
  /**
   * What happens on an event that is not valid in the current state. The state never changes, except that `reset`
   * cancels the current work; `refuse` also shows an error.
   */
  readonly onInvalidEvent: 'ignore' | 'refuse' | 'reset';
};

export const defaultSettings: SessionSettings = {
  maxRetries: 3,
  retryBaseMs: 1_000,
  retryMaxMs: 60_000,
  retryAfterMaxMs: 600_000,
  mutatingTools: ['edit_file', 'bash', 'edit', 'write', 'shell'],
  progressCheck: true,
  pageOnOverflow: true,
  compact: false,
  windowTokens: null,
  maxRecoveries: defaultMaxRecoveries,
  haltOnFailedPhase: false,
  continueAfterStop: true,
  governor: { preset: 'pawl', rules: {} },
  chart: null,
  memory: null,
  finishMs: 60_000,
  budgets: null,
  onInvalidEvent: 'ignore',
};

/** Budget limits; null for no limit. No approval and no mode lifts them. */
export type BudgetLimits = {
  /** Model requests, including failed ones and the last call. */
  readonly modelCalls: number | null;
  readonly toolCalls: number | null;
  /** Input and output tokens as reported by the model, including those of summaries. */
  readonly tokens: number | null;
  /** In the currency of the model's prices. */
  readonly cost: number | null;
  /** Measured from the user's last message, without time spent paused or waiting for a permission. */
  readonly wallMs: number | null;
};
