import { pawl } from '../contenders/pawl.ts';
import { xstateActor } from '../contenders/xstate-actor.ts';
import { xstateTransition } from '../contenders/xstate-transition.ts';
import type { Measured } from './measure.ts';

/** What we claim, what was measured, and whether the one holds the other up. */
export type Aim = {
  readonly aim: string;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly measured: number;
  readonly met: boolean;
};

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

function atMost(aim: string, limit: number, measured: number): Aim {
  return { aim, atMost: limit, measured, met: measured <= limit };
}

function atLeast(aim: string, limit: number, measured: number): Aim {
  return { aim, atLeast: limit, measured, met: measured >= limit };
}
