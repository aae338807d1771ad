import { createSavantChart, type SavantState } from '../../modes/charts/savant.ts';
import { getModeState } from '../../modes/mode-chart.ts';
import type { SavantConfig } from './config.ts';

export type { SavantState };

/** The charts define successors, allowed tools and time limits. */
const strictSavantChart = createSavantChart();
const lenientSavantChart = createSavantChart({ lenient: true });

export function listSavantSuccessors(state: SavantState, config: SavantConfig): readonly SavantState[] {
  return getModeState(config.lenient ? lenientSavantChart : strictSavantChart, state)?.next ?? [];
}

export function getSavantTimeout(state: SavantState, { timeoutsMs }: SavantConfig): number | null {
  return timeoutsMs[state] ?? getModeState(strictSavantChart, state)?.timeoutMs ?? null;
}

/**
 * Returns the tools each state allows; `*` is any. The configuration can replace the chart's search and finish tools.
 */
export function listSavantActions(state: SavantState, config: SavantConfig): readonly string[] {
  const tools = getModeState(strictSavantChart, state)?.tools ?? [];
  if (tools === '*') return ['*', ...config.finishTools];
  if (tools.length === 0) return [];
  return state === 'SEARCHING' ? config.searchTools : config.finishTools;
}

export function getStuckState(state: SavantState): SavantState | null {
  return getModeState(strictSavantChart, state)?.stuckState ?? null;
}

export function isStuckState(state: SavantState): boolean {
  return strictSavantChart.states.some(({ stuckState }) => stuckState === state);
}

export function isSavantState(name: string): name is SavantState {
  return getModeState(strictSavantChart, name) !== undefined;
}
