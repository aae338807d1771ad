import {
  createBooleanField,
  createNameListField,
  createChoiceField,
  createIntegerField,
  type ConfigField,
} from '../../config-field.ts';
import { parseTrackerConfig } from '../tracker-config.ts';
import { isSavantState, type SavantState } from './states.ts';

export type SavantConfig = {
  /** Whether rules produce verdicts; events are recorded either way. */
  readonly enable: boolean;
  /** `force` ends the work on the first verdict; `advise-once-then-force` advises the model once before that. */
  readonly policy: 'force' | 'advise-once-then-force';
  /** Allows the transition from deciding back to analyzing. */
  readonly lenient: boolean;
  readonly searchTools: readonly string[];
  readonly finishTools: readonly string[];
  /** Read-only tools. */
  readonly readTools: readonly string[];
  /** How many consecutive calls of one tool count as a repetition. */
  readonly repeatedTool: number;
  /** Whether calls of one tool must also have the same arguments to count as a repetition. */
  readonly matchArguments: boolean;
  /** How many consecutive identical searches count as a repetition. */
  readonly repeatedQuery: number;
  /** Maximum number of ticks in one state. */
  readonly stepsInState: number;
  /** Maximum number of consecutive failed decisions. */
  readonly failedDecisions: number;
  /** Timeouts that override those of the chart. */
  readonly timeoutsMs: { readonly [State in SavantState]?: number };
  readonly progressCallbackInterval: number;
};

/** How many calls and queries are remembered; no rule may look back further. */
export const savantRecentMax = 20;

export function parseSavantConfig(given: object): SavantConfig {
  return parseTrackerConfig<SavantConfig>(
    {
      enable: createBooleanField(true),
      policy: createChoiceField('force', ['force', 'advise-once-then-force']),
      lenient: createBooleanField(false),
      searchTools: createNameListField(['context.fts_search', 'context.memory_search']),
      finishTools: createNameListField(['finish']),
      readTools: createNameListField(['view', 'ls', 'grep', 'context.fts_search', 'context.memory_search']),
      repeatedTool: createIntegerField(3, 2, savantRecentMax),
      matchArguments: createBooleanField(false),
      repeatedQuery: createIntegerField(2, 2, savantRecentMax),
      stepsInState: createIntegerField(5, 1),
      failedDecisions: createIntegerField(3, 1),
      timeoutsMs: timeoutsField,
      progressCallbackInterval: createIntegerField(10, 1),
    },
    given,
  );
}

const timeoutsField: ConfigField<SavantConfig['timeoutsMs']> = {
  fallback: {},
  expects: 'milliseconds by the name of the state, such as { SEARCHING: 90000 }',
  accepts: (value): value is SavantConfig['timeoutsMs'] =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(
      ([state, ms]) => isSavantState(state) && typeof ms === 'number' && Number.isFinite(ms) && ms > 0,
    ),
};
