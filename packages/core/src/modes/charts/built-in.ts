import type { ModeChart } from '../mode-chart.ts';
import { lkj1Chart, lkjChart, type Lkj1State, type LkjState } from './lkj.ts';
import { loop } from './loop.ts';
import { savantChart, type SavantState } from './savant.ts';

/** The charts there are. `savantChart` and its like make the same with other tools or limits. */
export const modeCharts: {
  readonly savant: ModeChart<SavantState>;
  readonly lkj: ModeChart<LkjState>;
  readonly lkj1: ModeChart<Lkj1State>;
  readonly loop: ModeChart<'working'>;
} = { savant: savantChart(), lkj: lkjChart(), lkj1: lkj1Chart(), loop };

export function findModeChart(name: string): ModeChart | undefined {
  return Object.values<ModeChart>(modeCharts).find((chart) => chart.name === name);
}
