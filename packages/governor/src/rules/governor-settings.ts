import type { Json } from '../json/json.ts';
import type { RuleThresholds } from './rule.ts';

/** The rules that judge the work, referenced by name so that a session stays plain JSON. */
export type GovernorSettings = {
  readonly preset: 'pawl' | 'none' | 'nexora' | 'nexora-lenient' | 'savant';
  /**
   * Configuration of the nexora and savant presets, with keys in camelCase or snake_case (such as `stuck_threshold`).
   * It is validated when the session is created.
   */
  readonly config?: { readonly [key: string]: Json };
  /** Overrides for pawl rules and custom rules: other thresholds, or false to disable a rule. */
  readonly rules: { readonly [id: string]: Partial<RuleThresholds> | false };
  /** Remedies for kinds of errors, checked before the built-in ones; the first match is used. */
  readonly recoveries?: readonly KnownRecovery[];
  /** Whether a person can be asked. If not, a verdict that would ask ends the work with a final answer instead. */
  readonly attended?: boolean;
};

/**
 * A known recovery from one kind of error. `advice` is added to the verdict's advice; if the same call still fails
 * again, `remedy` replaces running it once more.
 */
export type KnownRecovery = {
  readonly id: string;
  /** A case-insensitive regular expression that matches the error text. */
  readonly pattern: string;
  readonly advice: string;
  readonly remedy: ErrorRemedy;
};

export type ErrorRemedy =
  /** Runs a tool that has worked before; `{path}` stands for the file of the failing call. */
  | { readonly do: 'run'; readonly tool: string; readonly args: { readonly [name: string]: string } }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'ask' }
  | { readonly do: 'block' };

/** How many consecutive stuck verdicts may start a recovery before the work ends, unless configured. */
export const defaultMaxRecoveries = 3;
