import { appendItems, type ConversationHistory } from '../conversation/conversation.ts';
import type { ConversationMessage } from '../conversation/message.ts';
import { emptyAgenda } from './agenda.ts';
import type { TurnAgenda } from './state.ts';

/** Appends pending steering to the conversation, one user message each, in order. */
export function appendSteering(
  conversation: ConversationHistory<ConversationMessage>,
  { said: steering }: TurnAgenda,
  at: number,
): ConversationHistory<ConversationMessage> {
  if (steering === undefined) return conversation;
  return appendItems<ConversationMessage>(
    conversation,
    steering.map((text) => ({ role: 'user', at, text })),
  );
}

/** Returns an agenda that holds only the pending steering. */
export function keepOnlySteering({ said: steering }: TurnAgenda): TurnAgenda {
  return steering === undefined ? emptyAgenda : { ...emptyAgenda, said: steering };
}

/** Returns the agenda without steering. */
export function clearSteering({ phaseChanges, failedPhase, verdict, finish }: TurnAgenda): TurnAgenda {
  return { phaseChanges, failedPhase, verdict, finish };
}
