import type { Verdict } from '@pawl/governor';
import type {
  TurnAgenda,
  ModelCallIntent,
  ErrorRecovery,
  FinishRequest,
  TurnState,
  HaltReason,
  PagingWork,
} from '../session/turn-state.ts';
import type { Session } from '../session/session.ts';
import { appendItems, type ConversationHistory } from '../conversation/conversation.ts';
import type { ConversationMessage } from '../conversation/message.ts';

export const emptyAgenda: TurnAgenda = { phaseChanges: 0, failedPhase: null, verdict: null, finish: null };

/** An ordinary model call; shared to avoid an allocation. */
export const plainCallIntent: ModelCallIntent = { advice: null, finish: null, agenda: emptyAgenda };

export function isAgendaEmpty(agenda: TurnAgenda): boolean {
  return (
    agenda === emptyAgenda ||
    (agenda.phaseChanges === 0 &&
      agenda.verdict === null &&
      agenda.finish === null &&
      agenda.steering === undefined)
  );
}

/** Returns the agenda of a state. */
export function getAgenda(turn: TurnState): TurnAgenda {
  switch (turn.status) {
    case 'waitingForUser':
    case 'halted':
    case 'shuttingDown':
      return emptyAgenda;
    case 'callingModel':
      return turn.ask.agenda;
    case 'awaitingPermission':
    case 'executingTools':
      return turn.agenda;
    case 'postToolsHook':
      return turn.work.agenda;
    case 'paging':
      return turn.work.ask.agenda;
    case 'errorRecovery':
      return getRecoveryAgenda(turn);
    case 'paused':
      return getAgenda(turn.held);
    default:
      return turn satisfies never;
  }
}

function getRecoveryAgenda(turn: ErrorRecovery): TurnAgenda {
  switch (turn.origin) {
    case 'model':
      return turn.ask.agenda;
    case 'tool':
      return turn.agenda;
    case 'io':
      return turn.work.kind === 'hooks' ? turn.work.hooks.agenda : turn.work.paging.ask.agenda;
    default:
      return turn satisfies never;
  }
}

/** Requests a last model call, after which the session halts because of this verdict. */
export function createSessionFinish({ reason, rule }: Verdict): FinishRequest {
  return { reason, ends: 'session', rule, deadline: null };
}

/** Returns the halt reason for a failed phase if the profile halts on failed phases. */
export function findFailedPhaseReason(session: Session, agenda: TurnAgenda): HaltReason | null {
  if (agenda.failedPhase === null || !session.settings.haltOnFailedPhase) return null;
  return { kind: 'phase-failed', reason: `Phase ${agenda.failedPhase} failed`, rule: null };
}

export function setPagingAgenda(work: PagingWork, agenda: TurnAgenda): PagingWork {
  return { ...work, ask: { ...work.ask, agenda } };
}

/** Appends pending steering to the conversation, one user message each, in order. */
export function appendSteering(
  conversation: ConversationHistory<ConversationMessage>,
  { steering }: TurnAgenda,
  at: number,
): ConversationHistory<ConversationMessage> {
  if (steering === undefined) return conversation;
  return appendItems<ConversationMessage>(
    conversation,
    steering.map((text) => ({ role: 'user', at, text })),
  );
}

/** Returns an agenda that holds only the pending steering. */
export function keepOnlySteering({ steering }: TurnAgenda): TurnAgenda {
  return steering === undefined ? emptyAgenda : { ...emptyAgenda, steering: steering };
}

/** Returns the agenda without steering. */
export function clearSteering({ phaseChanges, failedPhase, verdict, finish }: TurnAgenda): TurnAgenda {
  return { phaseChanges, failedPhase, verdict, finish };
}
