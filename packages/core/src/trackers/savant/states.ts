import { savantChart, type SavantState } from '../../modes/charts/savant.ts';
import { stateNamed } from '../../modes/mode-chart.ts';
import type { SavantConfig } from './config.ts';

export type { SavantState };

/** What may follow what, what is allowed, and how long it may last: all of it is in the chart. */
const strict = savantChart();
const lenient = savantChart({ lenient: true });

export function savantSuccessors(state: SavantState, config: SavantConfig): readonly SavantState[] {
  return stateNamed(config.lenient ? lenient : strict, state)?.next ?? [];
}

export function savantTimeoutMs(state: SavantState, { timeoutsMs }: SavantConfig): number | null {
  return timeoutsMs[state] ?? stateNamed(strict, state)?.timeoutMs ?? null;
}

/** The tools each state allows; `*` is any. The config may have others than the chart for searching and finishing. */
export function savantActions(state: SavantState, config: SavantConfig): readonly string[] {
  const tools = stateNamed(strict, state)?.tools ?? [];
  if (tools === '*') return ['*', ...config.finishTools];
  if (tools.length === 0) return [];
  return state === 'SEARCHING' ? config.searchTools : config.finishTools;
}

export function stuckStateOf(state: SavantState): SavantState | null {
  return stateNamed(strict, state)?.stuckState ?? null;
}

export function isStuckState(state: SavantState): boolean {
  return strict.states.some(({ stuckState }) => stuckState === state);
}

export function isSavantState(name: string): name is SavantState {
  return stateNamed(strict, name) !== undefined;
}
