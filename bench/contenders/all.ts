import { bareReducer } from './bare-reducer.ts';
import { bareReducerLinked } from './bare-reducer-linked.ts';
import type { TurnContender } from './contender.ts';
import { pawlStepContender } from './pawl.ts';
import { robot3Contender } from './robot3.ts';
import { xstateActor } from './xstate-actor.ts';
import { xstateTransition } from './xstate-transition.ts';

/** The bare reducer comes first because it is the baseline. */
export const turnContenders: readonly TurnContender[] = [
  bareReducer,
  bareReducerLinked,
  pawlStepContender,
  robot3Contender,
  xstateActor,
  xstateTransition,
];
