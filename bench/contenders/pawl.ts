import { getConversation, createSession, defaultSettings, step, type Session, toItemArray } from '@pawl/core';
import { performAction, type TurnContender } from './contender.ts';

/** Without the governor, which no peer has; bench/governor.ts measures its cost. */
const settings = { ...defaultSettings, governor: { preset: 'none', rules: {} } } as const;

/** Otherwise as shipped, including progress checks and notes. */
export const pawlStepContender: TurnContender<Session> = {
  name: 'Pawl step',
  library: null,
  create: (id) => createSession({ id, at: 0, settings }),
  handleEvent(session, event) {
    const { session: next, actions } = step(session, event);
    for (const action of actions) performAction(action);
    return next;
  },
  getStatus: ({ turn }) => turn.status,
  getMessages: (session) => toItemArray(getConversation(session)),
};
