import { toItemArray } from '@pawl/core';
import { initialTransition, transition, type SnapshotFrom } from 'xstate';
import { performAction, type TurnContender } from './contender.ts';
import { xstateMachine } from './xstate-machine.ts';

/** The pure function, which returns the next snapshot and the actions without running them. */
export const xstateTransition: TurnContender<SnapshotFrom<typeof xstateMachine>> = {
  name: 'XState transition()',
  library: 'xstate',
  create: () => initialTransition(xstateMachine)[0],
  handleEvent(session, event) {
    const [next, actions] = transition(xstateMachine, session, event);
    for (const action of actions) performAction(action);
    return next;
  },
  getStatus: ({ value }) => value,
  getMessages: ({ context }) => toItemArray(context.history),
};
