import type { Budgets } from './governor/budget.ts';
import type { Json } from './json.ts';
import type { Recovery } from './governor/recovery.ts';
import type { Thresholds } from './governor/rule.ts';
import type { MemorySettings } from './memory/settings.ts';
import type { ModeChart } from './modes/mode-chart.ts';

/** Which rules judge the work, by name so that a session stays plain JSON. */
export type GovernorSettings = {
  readonly preset: 'pawl' | 'none' | 'nexora' | 'nexora-lenient' | 'savant';
  /**
   * The keys of the presets nexora and savant, each in camelCase or in snake_case, such as `stuck_threshold`. They are
   * checked when the session is made.
   */
  readonly config?: { readonly [key: string]: Json };
  /** Changes to single rules of pawl and to own ones: other thresholds, or false to leave a rule out. */
  readonly rules: { readonly [id: string]: Partial<Thresholds> | false };
  /** What to do about kinds of errors, before those that are built in; the first that fits is taken. */
  readonly recoveries?: readonly Recovery[];
  /** Whether there is a person to ask. Where there is none, what would ask ends the work with an answer. */
  readonly attended?: boolean;
};

/** What a profile decides about the turn machine. All limits live here, as data. */
export type Settings = {
  /** The Nth failure in a row gives up, so N - 1 retries happen on their own. */
  readonly maxRetries: number;
  /** The wait before the first retry; it doubles with each further one. */
  readonly retryBaseMs: number;
  readonly retryMaxMs: number;
  /** A provider that asks for a longer wait than this is given up on, not hammered earlier. */
  readonly retryAfterMaxMs: number;
  /** Hooks run when one of these tools succeeded. */
  readonly mutatingTools: readonly string[];
  /** Whether every round of tools passes through `progressCheck`. */
  readonly progressCheck: boolean;
  /** Whether a model that finds no room leads to paging instead of a plain retry. */
  readonly pageOnOverflow: boolean;
  /** Whether making room for a model that found none makes the conversation shorter. */
  readonly compact: boolean;
  /** How many tokens the model's window holds, so that room is made before it is full; null if nobody knows. */
  readonly windowTokens: number | null;
  /** How often in a row a stuck verdict may ask for recovery before the session halts. */
  readonly maxRecoveries: number;
  readonly haltOnFailedPhase: boolean;
  readonly governor: GovernorSettings;
  /** The modes there are; null for none. */
  readonly chart: ModeChart | null;
  /** The limits and logs of working memory; null for none. */
  readonly memory: MemorySettings | null;
  /** How long the last answer may take, retries included; null for as long as it takes. */
  readonly finishMs: number | null;
  /** What a session may use up; null for no limits at all. */
  readonly budgets: Budgets | null;
  /**
   * What becomes of an event that does not fit the state. It never changes the state, except that `reset` calls off the
   * work at hand; `refuse` also shows an error.
   */
  readonly onInvalidEvent: 'ignore' | 'refuse' | 'reset';
};

export const defaultSettings: Settings = {
  maxRetries: 3,
  retryBaseMs: 1_000,
  retryMaxMs: 60_000,
  retryAfterMaxMs: 600_000,
  mutatingTools: ['edit_file', 'bash', 'edit', 'write', 'shell'],
  progressCheck: true,
  pageOnOverflow: true,
  compact: false,
  windowTokens: null,
  maxRecoveries: 3,
  haltOnFailedPhase: false,
  governor: { preset: 'pawl', rules: {} },
  chart: null,
  memory: null,
  finishMs: 60_000,
  budgets: null,
  onInvalidEvent: 'ignore',
};
