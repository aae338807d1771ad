import { pawl } from '../contenders/pawl.ts';
import { xstateActor } from '../contenders/xstate-actor.ts';
import { xstateTransition } from '../contenders/xstate-transition.ts';
import { atLeast, atMost, type Aim } from '../lib/aim.ts';
import type { Measured } from './measure.ts';

export function aims({ speeds, overPawl, growth }: Measured): readonly Aim[] {
  const times = speeds.find(({ name }) => name === pawl.name)?.times.median ?? Number.NaN;
  const grown = growth.find(({ name }) => name === pawl.name)?.times.median ?? Number.NaN;
  return [
    atMost('times the cost of the bare reducer', 3, times),
    ...[xstateActor, xstateTransition].map(({ name }) =>
      atLeast(`times as fast as ${name}`, 30, overPawl[name]?.median ?? Number.NaN),
    ),
    atMost('times the cost of turn 100 at turn 10,000', 1.25, grown),
  ];
}
