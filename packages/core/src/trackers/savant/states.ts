import type { SavantConfig } from './config.ts';

/**
 * What kind of step an agent that searches is taking. It gathers, thinks about what it has gathered, decides, and
 * finishes; from a stuck state it can only finish.
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

type Row = {
  readonly next: readonly SavantState[];
  /** Null for as long as it takes. */
  readonly timeoutMs: number | null;
  /** Where it falls to when stuck; null where there is no such state. */
  readonly stuckState: SavantState | null;
};

const rows: { readonly [State in SavantState]: Row } = {
  INIT: { next: ['SEARCHING', 'DECIDING', 'FINISHING'], timeoutMs: null, stuckState: null },
  SEARCHING: {
    next: ['ANALYZING', 'STUCK_SEARCH', 'FINISHING'],
    timeoutMs: 60_000,
    stuckState: 'STUCK_SEARCH',
  },
  ANALYZING: {
    next: ['DECIDING', 'STUCK_ANALYZE', 'FINISHING'],
    timeoutMs: 30_000,
    stuckState: 'STUCK_ANALYZE',
  },
  DECIDING: {
    next: ['SEARCHING', 'FINISHING', 'STUCK_DECIDE'],
    timeoutMs: 45_000,
    stuckState: 'STUCK_DECIDE',
  },
  STUCK_SEARCH: { next: ['FINISHING'], timeoutMs: 10_000, stuckState: null },
  STUCK_ANALYZE: { next: ['FINISHING'], timeoutMs: 10_000, stuckState: null },
  STUCK_DECIDE: { next: ['FINISHING'], timeoutMs: 10_000, stuckState: null },
  FINISHING: { next: [], timeoutMs: 5_000, stuckState: null },
};

export function savantSuccessors(state: SavantState, { lenient }: SavantConfig): readonly SavantState[] {
  const { next } = rows[state];
  return lenient && state === 'DECIDING' ? [...next, 'ANALYZING'] : next;
}

export function savantTimeoutMs(state: SavantState, { timeoutsMs }: SavantConfig): number | null {
  return timeoutsMs[state] ?? rows[state].timeoutMs;
}

/** The tools each state allows; `*` is any. */
export function savantActions(state: SavantState, config: SavantConfig): readonly string[] {
  switch (state) {
    case 'SEARCHING':
      return config.searchTools;
    case 'DECIDING':
      return ['*', ...config.finishTools];
    case 'STUCK_SEARCH':
    case 'STUCK_ANALYZE':
    case 'STUCK_DECIDE':
      return config.finishTools;
    case 'INIT':
    case 'ANALYZING':
    case 'FINISHING':
      return [];
    default:
      return state satisfies never;
  }
}

export function stuckStateOf(state: SavantState): SavantState | null {
  return rows[state].stuckState;
}

export function isStuckState(state: SavantState): boolean {
  return state.startsWith('STUCK_');
}

export function isSavantState(name: string): name is SavantState {
  return Object.hasOwn(rows, name);
}
