import { toArray } from '@pawl/core';
import { initialTransition, transition, type SnapshotFrom } from 'xstate';
import { perform, type Contender } from './contender.ts';
import { xstateMachine } from './xstate-machine.ts';

/** The pure function: the next snapshot and the actions, which are returned and not run. */
export const xstateTransition: Contender<SnapshotFrom<typeof xstateMachine>> = {
  name: 'XState transition()',
  library: 'xstate',
  create: () => initialTransition(xstateMachine)[0],
  take(session, event) {
    const [next, actions] = transition(xstateMachine, session, event);
    for (const action of actions) perform(action);
    return next;
  },
  statusOf: ({ value }) => value,
  messagesOf: ({ context }) => toArray(context.history),
};
