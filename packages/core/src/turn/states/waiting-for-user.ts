import { append } from '../../conversation/conversation.ts';
import { changePhases } from '../../phases/change.ts';
import type { Session } from '../../session.ts';
import { emptyAgenda, plainAsk } from '../agenda.ts';
import { haltOnVerdict } from '../agenda-events.ts';
import { askMemory } from '../ask-memory.ts';
import { callModel, waitForUser } from '../enter.ts';
import type { EventOf, Handlers } from '../handlers.ts';
import { startWork } from '../heed.ts';
import { haltAsRequested, pause, shutDown } from '../leave.ts';
import { move, type Step } from '../move.ts';
import { pageMemory } from '../pending.ts';
import { failedPhase, haltOnRoute } from '../progress-check.ts';
import { refuse, refuseNow } from '../refuse.ts';
import type { Paging, WaitingForUser } from '../state.ts';

const idle = refuse('nothing is under way');

export const waitingForUser: Handlers<WaitingForUser> = {
  'user-message': hear,
  steered: hearAtOnce,
  'text-delta': idle,
  'call-delta': idle,
  'model-replied': idle,
  'model-failed': idle,
  'permission-decided': idle,
  'tool-started': idle,
  'tool-progressed': idle,
  'tool-finished': idle,
  'hooks-finished': idle,
  'hooks-failed': idle,
  'retry-due': idle,
  'recovery-finished': idle,
  'paging-requested': page,
  'paging-finished': idle,
  'paging-failed': idle,
  'memory-asked': askMemory,
  'phase-started': enterPhase,
  'phase-completed': enterPhase,
  'verdict-reached': (session, turn, event) =>
    event.verdict.response.kind === 'halt'
      ? haltOnVerdict(session, turn, event)
      : refuseNow(session, turn, event, 'nothing is under way'),
  'finish-requested': idle,
  'pause-requested': pause,
  'resume-requested': idle,
  'cancel-requested': idle,
  'halt-requested': haltAsRequested,
  'shutdown-requested': shutDown,
};

function hear(session: Session, turn: WaitingForUser, event: EventOf<'user-message'>): Step {
  const conversation = append(turn.conversation, { role: 'user', at: event.at, text: event.text });
  const { advice, recoveries } = session.governor;
  const ask = advice === null ? plainAsk : { ...plainAsk, advice };
  const fresh = recoveries === 0 ? session : { ...session, governor: { ...session.governor, recoveries: 0 } };
  return callModel(startWork(fresh, event.at), event, { conversation }, { ask, retries: 0 });
}

/** Nothing is under way that it would have to wait for. */
function hearAtOnce(session: Session, turn: WaitingForUser, event: EventOf<'steered'>): Step {
  const { conversation } = turn;
  const agenda = { ...emptyAgenda, said: [event.text] };
  return callModel(session, event, { conversation }, { ask: { ...plainAsk, agenda }, retries: 0 });
}

function page(session: Session, turn: WaitingForUser, event: EventOf<'paging-requested'>): Step {
  const to: Paging = {
    status: 'paging',
    since: event.at,
    conversation: turn.conversation,
    request: session.seq + 1,
    retries: 0,
    work: { reason: event.reason, asking: false, ask: plainAsk, modelRetries: 0 },
  };
  return move(session, event, { to, actions: [pageMemory(to)] });
}

function enterPhase(
  session: Session,
  turn: WaitingForUser,
  event: EventOf<'phase-started'> | EventOf<'phase-completed'>,
): Step {
  const after = changePhases(session, event);
  const { notes } = after;
  const via = ['phaseTransition'] as const;
  const failed = failedPhase(session, { ...emptyAgenda, failedPhase: after.failedPhase });
  const route = { conversation: turn.conversation, via, notes };
  if (failed !== null) return haltOnRoute(after.session, event, route, failed);
  if (event.type === 'phase-completed' || event.message === undefined) {
    return waitForUser(after.session, event, route);
  }
  const conversation = append(turn.conversation, { role: 'user', at: event.at, text: event.message });
  return callModel(
    startWork(after.session, event.at),
    event,
    { conversation, via, notes },
    { ask: plainAsk, retries: 0 },
  );
}
