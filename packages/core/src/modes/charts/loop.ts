import { defineChart } from '../define-chart.ts';
import type { ModeChart } from '../mode-chart.ts';

/** A chart with a single mode that allows everything, for agents without modes. */
export const loopChart: ModeChart<'working'> = defineChart({
  name: 'loop',
  initial: 'working',
  onInvalid: 'ignore',
  states: [{ name: 'working', tools: '*', next: ['working'] }],
});
