import type { SavantState } from '@pawl/governor/tracker';
import { defineChart } from '../define-chart.ts';
import type { ModeChart } from '../mode-chart.ts';
import { createLkj1Chart, createLkjChart, type Lkj1State, type LkjState } from './lkj.ts';
import { createSavantChart } from './savant.ts';

/** A chart with a single mode that allows everything, for agents without modes. */
const loopChart: ModeChart<'working'> = defineChart({
  name: 'loop',
  initial: 'working',
  onInvalid: 'ignore',
  states: [{ name: 'working', tools: '*', next: ['working'] }],
});

/** The built-in charts. `createSavantChart` and similar functions create them with other tools or limits. */
export const modeCharts: {
  readonly savant: ModeChart<SavantState>;
  readonly lkj: ModeChart<LkjState>;
  readonly lkj1: ModeChart<Lkj1State>;
  readonly loop: ModeChart<'working'>;
} = { savant: createSavantChart(), lkj: createLkjChart(), lkj1: createLkj1Chart(), loop: loopChart };

export function findModeChart(name: string): ModeChart | undefined {
  return Object.values<ModeChart>(modeCharts).find((chart) => chart.name === name);
}
