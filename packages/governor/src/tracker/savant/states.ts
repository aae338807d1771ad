import type { SavantConfig } from './config.ts';

/**
 * The kind of step a searching agent takes. It searches, analyzes the results, decides and finishes; from a stuck state
 * it can only finish.
 */
export type SavantState =
  | 'INIT'
  | 'SEARCHING'
  | 'ANALYZING'
  | 'DECIDING'
  | 'STUCK_SEARCH'
  | 'STUCK_ANALYZE'
  | 'STUCK_DECIDE'
  | 'FINISHING';

/** One state of the search: the tools it allows, its successors and its limits. */
export type SavantStateDefinition = {
  readonly tools: 'search' | 'finish' | 'any' | 'none';
  readonly next: readonly SavantState[];
  readonly timeoutMs: number | null;
  readonly stuckState: SavantState | null;
};

const stuckStateDefinition = {
  tools: 'finish',
  next: ['FINISHING'],
  timeoutMs: 10_000,
  stuckState: null,
} as const;

/** The states in order. The lenient variant also allows the transition from deciding back to analyzing. */
export const savantStates: { readonly [Name in SavantState]: SavantStateDefinition } = {
  INIT: { tools: 'none', next: ['SEARCHING', 'DECIDING', 'FINISHING'], timeoutMs: null, stuckState: null },
  SEARCHING: {
    tools: 'search',
    next: ['ANALYZING', 'STUCK_SEARCH', 'FINISHING'],
    timeoutMs: 60_000,
    stuckState: 'STUCK_SEARCH',
  },
  ANALYZING: {
    tools: 'none',
    next: ['DECIDING', 'STUCK_ANALYZE', 'FINISHING'],
    timeoutMs: 30_000,
    stuckState: 'STUCK_ANALYZE',
  },
  DECIDING: {
    tools: 'any',
    next: ['SEARCHING', 'FINISHING', 'STUCK_DECIDE'],
    timeoutMs: 45_000,
    stuckState: 'STUCK_DECIDE',
  },
  STUCK_SEARCH: stuckStateDefinition,
  STUCK_ANALYZE: stuckStateDefinition,
  STUCK_DECIDE: stuckStateDefinition,
  FINISHING: { tools: 'none', next: [], timeoutMs: 5_000, stuckState: null },
};

export const savantTools = {
  search: ['context.fts_search', 'context.memory_search'],
  finish: ['finish'],
} as const;

export function listSavantSuccessors(
  state: SavantState,
  { lenient }: Pick<SavantConfig, 'lenient'>,
): readonly SavantState[] {
  const { next } = savantStates[state];
  return lenient && state === 'DECIDING' ? [...next, 'ANALYZING'] : next;
}

export function getSavantTimeout(state: SavantState, { timeoutsMs }: SavantConfig): number | null {
  return timeoutsMs[state] ?? savantStates[state].timeoutMs;
}

/** Returns the tools a state allows; `*` is any. */
export function listSavantActions(state: SavantState, config: SavantConfig): readonly string[] {
  switch (savantStates[state].tools) {
    case 'search':
      return config.searchTools;
    case 'finish':
      return config.finishTools;
    case 'any':
      return ['*', ...config.finishTools];
    case 'none':
      return [];
  }
}

export function getStuckState(state: SavantState): SavantState | null {
  return savantStates[state].stuckState;
}

export function isStuckState(state: SavantState): boolean {
  return Object.values(savantStates).some(({ stuckState }) => stuckState === state);
}

export function isSavantState(name: string): name is SavantState {
  return Object.hasOwn(savantStates, name);
}
