import { pawlStepContender } from '../contenders/pawl.ts';
import { xstateActor } from '../contenders/xstate-actor.ts';
import { xstateTransition } from '../contenders/xstate-transition.ts';
import { createLowerAim, createUpperAim, type PerformanceAim } from '../lib/aim.ts';
import type { TransitionResult } from './measure.ts';

export function listTransitionAims({
  speeds,
  overPawl,
  growth,
}: TransitionResult): readonly PerformanceAim[] {
  const times = speeds.find(({ name }) => name === pawlStepContender.name)?.times.median ?? Number.NaN;
  const grown = growth.find(({ name }) => name === pawlStepContender.name)?.times.median ?? Number.NaN;
  return [
    createUpperAim('times the cost of the bare reducer', 3, times),
    ...[xstateActor, xstateTransition].map(({ name }) =>
      createLowerAim(`times as fast as ${name}`, 30, overPawl[name]?.median ?? Number.NaN),
    ),
    createUpperAim('times the cost of turn 100 at turn 10,000', 1.25, grown),
  ];
}
