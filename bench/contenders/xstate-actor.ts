import { toItemArray } from '@pawl/core';
import { createActor, type ActorRefFrom } from 'xstate';
import type { TurnContender } from './contender.ts';
import { xstateMachine } from './xstate-machine.ts';

/** A started actor, which holds the current snapshot and runs the actions itself. */
export const xstateActor: TurnContender<ActorRefFrom<typeof xstateMachine>> = {
  name: 'XState actor',
  library: 'xstate',
  create: () => createActor(xstateMachine).start(),
  handleEvent(session, event) {
    session.send(event);
    return session;
  },
  getStatus: (session) => session.getSnapshot().value,
  getMessages: (session) => toItemArray(session.getSnapshot().context.history),
};
