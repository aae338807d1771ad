import type { Session } from '../../session.ts';
import { agendaEvents } from '../agenda-events.ts';
import { askMemory } from '../ask-memory.ts';
import type { EventOf, Handlers } from '../handlers.ts';
import { callOff, haltAsRequested, pause, shutDown } from '../leave.ts';
import { move, showing, type Step } from '../move.ts';
import { checkProgress } from '../progress-check.ts';
import { ignore, refuse } from '../refuse.ts';
import { retryAt } from '../retry.ts';
import type { IoRecovery, PostToolsHook } from '../state.ts';
import { isStale, stale } from '../stale.ts';

const busy = refuse('hooks are running');

export const postToolsHook: Handlers<PostToolsHook> = {
  'user-message': busy,
  'text-delta': busy,
  'call-delta': busy,
  'model-replied': busy,
  'model-failed': busy,
  'permission-decided': busy,
  'tool-started': busy,
  'tool-progressed': busy,
  'tool-finished': busy,
  'hooks-finished': finished,
  'hooks-failed': failed,
  'retry-due': busy,
  'recovery-finished': busy,
  'paging-requested': busy,
  'paging-finished': busy,
  'paging-failed': busy,
  'memory-asked': askMemory,
  ...agendaEvents<PostToolsHook>(
    (turn) => turn.work.agenda,
    (turn, agenda) => ({ ...turn, work: { ...turn.work, agenda } }),
  ),
  'pause-requested': pause,
  'resume-requested': busy,
  'cancel-requested': callOff,
  'halt-requested': haltAsRequested,
  'shutdown-requested': shutDown,
};

function finished(session: Session, turn: PostToolsHook, event: EventOf<'hooks-finished'>): Step {
  if (isStale(turn, event)) return ignore(session, turn, event, stale);
  return afterHooks(session, turn, event);
}

/** Hooks never block the work: after the last retry the error is shown and the work goes on. */
function failed(session: Session, turn: PostToolsHook, event: EventOf<'hooks-failed'>): Step {
  if (isStale(turn, event)) return ignore(session, turn, event, stale);
  const { at, jitter, message } = event;
  const failures = turn.retries + 1;
  const due = retryAt(session.settings, { at, failures, jitter });
  if (due === null) return showing(afterHooks(session, turn, event), { kind: 'io', message });
  const to: IoRecovery = {
    status: 'errorRecovery',
    since: at,
    conversation: turn.conversation,
    origin: 'io',
    request: turn.request,
    retries: failures,
    retryAt: due,
    message,
    work: { kind: 'hooks', hooks: turn.work },
  };
  return move(session, event, { to, actions: [{ type: 'wait', until: due }] });
}

function afterHooks(
  session: Session,
  turn: PostToolsHook,
  event: EventOf<'hooks-finished' | 'hooks-failed'>,
): Step {
  const { agenda, next } = turn.work;
  return checkProgress(session, event, { conversation: turn.conversation, agenda, next, via: [] });
}
