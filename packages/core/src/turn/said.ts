import { appendAll, type Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import { emptyAgenda } from './agenda.ts';
import type { Agenda } from './state.ts';

/** The conversation, with what a person said meanwhile at its end: a message each, in the order in which it was said. */
export function withSaid(
  conversation: Conversation<Message>,
  { said }: Agenda,
  at: number,
): Conversation<Message> {
  if (said === undefined) return conversation;
  return appendAll<Message>(
    conversation,
    said.map((text) => ({ role: 'user', at, text })),
  );
}

/** What is left of an agenda when all else on it is worked off. */
export function onlySaid({ said }: Agenda): Agenda {
  return said === undefined ? emptyAgenda : { ...emptyAgenda, said };
}

/** What is left of it once that has been heard. */
export function withoutSaid({ phaseChanges, failedPhase, verdict, finish }: Agenda): Agenda {
  return { phaseChanges, failedPhase, verdict, finish };
}
