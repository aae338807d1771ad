import { toArray } from '@pawl/core';
import { createActor, type ActorRefFrom } from 'xstate';
import type { Contender } from './contender.ts';
import { xstateMachine } from './xstate-machine.ts';

/** A started actor: it keeps the current snapshot and runs the actions itself. */
export const xstateActor: Contender<ActorRefFrom<typeof xstateMachine>> = {
  name: 'XState actor',
  library: 'xstate',
  create: () => createActor(xstateMachine).start(),
  take(session, event) {
    session.send(event);
    return session;
  },
  statusOf: (session) => session.getSnapshot().value,
  messagesOf: (session) => toArray(session.getSnapshot().context.history),
};
