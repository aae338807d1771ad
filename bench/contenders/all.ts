import { bareReducer } from './bare-reducer.ts';
import { bareReducerLinked } from './bare-reducer-linked.ts';
import type { Contender } from './contender.ts';
import { pawl } from './pawl.ts';
import { robot3 } from './robot3.ts';
import { xstateActor } from './xstate-actor.ts';
import { xstateTransition } from './xstate-transition.ts';

/** The bare reducer comes first: it is what the others are measured by. */
export const contenders: readonly Contender[] = [
  bareReducer,
  bareReducerLinked,
  pawl,
  robot3,
  xstateActor,
  xstateTransition,
];
