import { defineChart } from '../define-chart.ts';
import type { ModeChart } from '../mode-chart.ts';

/** For agents that need no modes: one, in which everything is allowed. */
export const loop: ModeChart<'working'> = defineChart({
  name: 'loop',
  initial: 'working',
  onInvalid: 'ignore',
  states: [{ name: 'working', tools: '*', next: ['working'] }],
});
