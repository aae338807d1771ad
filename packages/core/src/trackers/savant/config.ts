import { flag, names, oneOf, wholeNumber, type Field } from '../../field.ts';
import { readConfig } from '../config.ts';
import { isSavantState, type SavantState } from './states.ts';

export type SavantConfig = {
  /** Whether anything is ever found; what happens is on record either way. */
  readonly enable: boolean;
  /** `force` ends the work on the first verdict; `advise-once-then-force` lets the model have one word before. */
  readonly policy: 'force' | 'advise-once-then-force';
  /** Lets deciding go back to analysing. */
  readonly lenient: boolean;
  readonly searchTools: readonly string[];
  readonly finishTools: readonly string[];
  /** Tools that change nothing. */
  readonly readTools: readonly string[];
  /** How many calls of one tool in a row are too many. */
  readonly repeatedTool: number;
  /** Whether calls of one tool must have the same arguments as well to be a repetition. */
  readonly matchArguments: boolean;
  /** How many searches in a row for the same thing are too many. */
  readonly repeatedQuery: number;
  /** How many ticks in one state are too many. */
  readonly stepsInState: number;
  /** How many failed decisions in a row are too many. */
  readonly failedDecisions: number;
  /** Other timeouts than those of the table. */
  readonly timeoutsMs: { readonly [State in SavantState]?: number };
  readonly progressCallbackInterval: number;
};

/** How many calls and queries are remembered; no rule may look further back. */
export const recentMax = 20;

export function savantConfig(given: object): SavantConfig {
  return readConfig<SavantConfig>(
    {
      enable: flag(true),
      policy: oneOf('force', ['force', 'advise-once-then-force']),
      lenient: flag(false),
      searchTools: names(['context.fts_search', 'context.memory_search']),
      finishTools: names(['finish']),
      readTools: names(['view', 'ls', 'grep', 'context.fts_search', 'context.memory_search']),
      repeatedTool: wholeNumber(3, 2, recentMax),
      matchArguments: flag(false),
      repeatedQuery: wholeNumber(2, 2, recentMax),
      stepsInState: wholeNumber(5, 1),
      failedDecisions: wholeNumber(3, 1),
      timeoutsMs,
      progressCallbackInterval: wholeNumber(10, 1),
    },
    given,
  );
}

const timeoutsMs: Field<SavantConfig['timeoutsMs']> = {
  fallback: {},
  expects: 'milliseconds by the name of the state, such as { SEARCHING: 90000 }',
  accepts: (value): value is SavantConfig['timeoutsMs'] =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(
      ([state, ms]) => isSavantState(state) && typeof ms === 'number' && Number.isFinite(ms) && ms > 0,
    ),
};
