import type { Call } from '../conversation/message.ts';
import type { Event, ModelReplied, RequestedCall, ToolFinished } from '../event.ts';
import type { Session } from '../session.ts';
import {
  hearFailedDecision,
  hearOutcome,
  hearPerson,
  hearRecord,
  hearReply,
  type Heard,
  type SessionTracker,
} from '../trackers/in-session.ts';
import type { Judgement } from '../trackers/judgement.ts';
import { agendaOf, endOfSession, turnWithVerdict } from '../turn/agenda.ts';
import { withIds } from '../turn/calls.ts';
import { isStale } from '../turn/stale.ts';
import type { Step } from '../turn/move.ts';
import type { CallingModel, Execution, ExecutingTools } from '../turn/state.ts';
import type { Governed } from './governed.ts';
import { counts, textOf } from './observation.ts';
import { recoveryFor } from './recovery.ts';
import type { Response, Verdict } from './verdict.ts';

/** Tells the session's tracker of an event, and has what it finds join the agenda. */
export function governByTracker(governed: Governed, tracker: SessionTracker): Governed {
  const { session, event } = governed;
  const { turn } = session;
  switch (event.type) {
    case 'user-message':
      return keep(governed, hearUser(session, event, tracker));
    case 'phase-started':
    case 'phase-completed':
      return keep(governed, hearPhase(session, event, tracker));
    case 'model-replied':
      return turn.status === 'callingModel' && isHeard(turn, event)
        ? judgeReply(governed, turn, event, tracker)
        : keep(governed, tracker);
    case 'tool-finished':
      return turn.status === 'executingTools' && !isStale(turn, event)
        ? judgeOutcome(governed, turn, event, tracker)
        : keep(governed, tracker);
    default:
      return keep(governed, tracker);
  }
}

/** The last answer is beyond judgement. */
function isHeard(turn: CallingModel, event: ModelReplied): boolean {
  return turn.ask.finish === null && !isStale(turn, event);
}

/**
 * The turn starts the governor afresh when a phase changes. What a tracker is to forget then, it knows itself. One that is
 * still there is the same, or has begun anew with what a person said.
 */
export function keepTracker(step: Step, tracker: SessionTracker | null): Step {
  const { governor } = step.session;
  if (governor.tracker !== null) return step;
  return { ...step, session: { ...step.session, governor: { ...governor, tracker } } };
}

function keep(governed: Governed, tracker: SessionTracker): Governed {
  const { session } = governed;
  if (session.governor.tracker === tracker) return governed;
  return { ...governed, session: { ...session, governor: { ...session.governor, tracker } } };
}

/** With savant, what no person said is one more step of the same run. */
function hearUser(
  { settings, turn }: Session,
  { at, automatic = false }: Extract<Event, { type: 'user-message' }>,
  tracker: SessionTracker,
): SessionTracker {
  if (turn.status !== 'waitingForUser') return tracker;
  if (!automatic) return hearPerson(tracker, settings.governor, at);
  return tracker.state.mind.kind === 'savant' ? hearRecord(tracker, { type: 'ticked', at }) : tracker;
}

/** A phase that brings a message is refused while work is under way. */
function hearPhase(
  { turn }: Session,
  event: Extract<Event, { type: 'phase-started' | 'phase-completed' }>,
  tracker: SessionTracker,
): SessionTracker {
  const { at } = event;
  if (event.type === 'phase-completed') {
    return hearRecord(tracker, { type: 'phase-completed', at, success: event.success });
  }
  if (event.message !== undefined && turn.status !== 'waitingForUser') return tracker;
  const { number, description, expectedMs = null } = event;
  return hearRecord(tracker, { type: 'phase-started', at, number, description, expectedMs });
}

/** Calls are on record before they run, so that one too many need not run; those a person is asked about come later. */
function judgeReply(
  governed: Governed,
  turn: CallingModel,
  event: ModelReplied,
  tracker: SessionTracker,
): Governed {
  const { at, text, problem } = event;
  const seq = governed.session.seq + 1;
  const { request } = turn;
  const goesOn = event.calls.length > 0 || problem !== undefined;
  const said = hearReply(tracker, { at, seq, text, goesOn, calls: callsToRun(event, request) });
  const reason = problem ?? (event.calls.some(isDenied) ? 'a call that is not allowed' : null);
  const heard =
    reason === null ? said : joined(said, hearFailedDecision(said.tracker, { at, seq, request, reason }));
  // Whoever finishes as it was told to needs no other end.
  if (isFinishing(event, heard.tracker)) return keep(governed, heard.tracker);
  return goesOn ? withJudgement(governed, heard, turn) : judgeTalk(governed, turn, heard);
}

function isFinishing({ calls, problem }: ModelReplied, { state: { mind } }: SessionTracker): boolean {
  if (mind.kind !== 'savant' || calls.length === 0 || problem !== undefined) return false;
  return calls.every((call) => !isDenied(call) && mind.config.finishTools.includes(call.tool));
}

function callsToRun({ calls, problem }: ModelReplied, request: number): readonly Call[] {
  if (problem !== undefined || calls.some(({ permission }) => permission === 'ask')) return [];
  return withIds(calls, request).filter((_, index) => !isDenied(calls[index]));
}

function isDenied(call: RequestedCall | undefined): boolean {
  return call?.permission === 'deny';
}

function joined(first: Heard, second: Heard): Heard {
  return second.judgement === null ? { ...second, judgement: first.judgement } : second;
}

/** Talk ends the turn: advice on it waits for the next, and talk that is to end the work is its last word. */
function judgeTalk(governed: Governed, turn: CallingModel, { tracker, judgement }: Heard): Governed {
  const kept = keep(governed, tracker);
  if (judgement === null) return kept;
  const { session, event, notes } = kept;
  const verdict = verdictOf(session, judgement, null);
  const after =
    judgement.response === 'finish'
      ? { ...session, turn: { ...turn, ask: { ...turn.ask, finish: endOfSession(verdict) } } }
      : { ...session, governor: { ...session.governor, advice: verdict.advice } };
  return { session: after, event, notes: [...notes, { type: 'verdict', at: event.at, verdict }] };
}

function judgeOutcome(
  governed: Governed,
  turn: ExecutingTools,
  event: ToolFinished,
  tracker: SessionTracker,
): Governed {
  const execution = turn.executions.find(({ call }) => call.id === event.callId);
  if (execution === undefined || execution.status === 'completed') return keep(governed, tracker);
  const heard = heardOutcome(governed.session.seq + 1, { turn, execution, event, tracker });
  if (heard === null) return keep(governed, tracker);
  const isMoving = event.outcome.ok && heard.judgement === null;
  const calmed = isMoving ? withoutRecoveries(governed) : governed;
  return withJudgement(calmed, heard, turn);
}

function heardOutcome(
  seq: number,
  what: {
    readonly turn: ExecutingTools;
    readonly execution: Execution;
    readonly event: ToolFinished;
    readonly tracker: SessionTracker;
  },
): Heard | null {
  const { turn, execution, event, tracker } = what;
  const { at, outcome, files, tests } = event;
  const kind = outcome.ok ? undefined : outcome.error.kind;
  const said = outcome.ok ? textOf(outcome.output) : outcome.error.message;
  if (kind === 'invalid') {
    return hearFailedDecision(tracker, { at, seq, request: turn.request, reason: said });
  }
  return counts(kind)
    ? hearOutcome(tracker, execution.call, { at, seq, ok: outcome.ok, said, files, tests })
    : null;
}

/** The work moves again, so the next time it does not there are as many ways out to try as ever. */
function withoutRecoveries(governed: Governed): Governed {
  const { session } = governed;
  if (session.governor.recoveries === 0) return governed;
  return { ...governed, session: { ...session, governor: { ...session.governor, recoveries: 0 } } };
}

function withJudgement(
  governed: Governed,
  { tracker, judgement }: Heard,
  turn: CallingModel | ExecutingTools,
): Governed {
  const kept = keep(governed, tracker);
  if (judgement === null || agendaOf(turn).finish?.ends === 'session') return kept;
  const { event, notes } = kept;
  const session = judgement.response === 'halt' ? withRecoveriesUsedUp(kept.session) : kept.session;
  const verdict = verdictOf(session, judgement, event);
  const noted = { ...verdict, response: onAgenda(verdict.response) };
  return {
    session: { ...session, turn: turnWithVerdict(turn, noted) },
    event,
    notes: [...notes, { type: 'verdict', at: event.at, verdict }],
  };
}

/** Where no way out is known, all of them count as tried: that is what halts a session at the next check. */
function withRecoveriesUsedUp(session: Session): Session {
  const { governor, settings } = session;
  return { ...session, governor: { ...governor, recoveries: settings.maxRecoveries } };
}

function onAgenda(response: Response): Response {
  return response.kind === 'halt' ? { kind: 'recover' } : response;
}

/** What is known to help against the error at hand is said with it, and waited for where it takes time. */
function verdictOf({ settings }: Session, { verdict, response }: Judgement, event: Event | null): Verdict {
  const { level, rule, reason, advice, evidence } = verdict;
  const said = event?.type === 'tool-finished' && !event.outcome.ok ? event.outcome.error.message : null;
  const known =
    said === null ? null : recoveryFor(settings.governor.recoveries, { said, args: null, tools: new Set() });
  const waits = response === 'recover' && known?.remedy.do === 'wait' ? { waitMs: known.remedy.ms } : {};
  return {
    level,
    rule,
    reason,
    advice: known === null ? advice : `${advice} ${known.advice}`,
    evidence,
    response: { kind: response, ...waits },
  };
}
