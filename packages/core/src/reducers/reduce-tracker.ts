import { isJudgedOutcome } from '../conversation/message.ts';
import type { ToolCall } from '../conversation/message.ts';
import type { Event, ModelReplied, RequestedCall, ToolFinished } from '../session/event.ts';
import type { Session } from '../session/session.ts';
import {
  assignCallIds,
  findRecovery,
  formatToolOutput,
  type Verdict,
  type VerdictResponse,
} from '@pawl/governor';
import {
  recordCallOutcome,
  recordDecisionFailure,
  recordInSession,
  restartOnUserMessage,
  type SessionTracker,
  type TrackerReport,
  trackReply,
} from '@pawl/governor/session-tracker';
import type { TrackerJudgment } from '@pawl/governor/tracker';
import { getAgenda, createSessionFinish } from '../turn/agenda.ts';
import { addTurnVerdict } from '../turn/apply-verdict.ts';
import { getReplyKind } from '../turn/calls.ts';
import { isStaleAnswer } from '../turn/refuse-event.ts';
import type { SessionStep, StepChange } from '../session/session-step.ts';
import type { CallingModel, CallExecution, ExecutingTools } from '../session/turn-state.ts';

/** Passes an event to the session's tracker and adds its verdict to the agenda. */
export function reduceTracker(change: StepChange, tracker: SessionTracker): StepChange {
  const { session, event } = change;
  const { turn } = session;
  switch (event.type) {
    case 'user-message':
      return setSessionTracker(change, trackUserMessage(session, event, tracker));
    case 'phase-started':
    case 'phase-completed':
      return setSessionTracker(change, trackPhaseEvent(session, event, tracker));
    case 'model-replied':
      return turn.status === 'callingModel' && isJudgedReply(turn, event)
        ? trackModelReply(change, turn, event, tracker)
        : setSessionTracker(change, tracker);
    case 'tool-finished':
      return turn.status === 'executingTools' && !isStaleAnswer(turn, event)
        ? trackToolResult(change, turn, event, tracker)
        : setSessionTracker(change, tracker);
    default:
      return setSessionTracker(change, tracker);
  }
}

/** The answer to a last call is not judged. */
function isJudgedReply(turn: CallingModel, event: ModelReplied): boolean {
  return turn.ask.finish === null && !isStaleAnswer(turn, event);
}

/**
 * The turn resets the governor when a phase changes, but a tracker decides itself what to reset. If the governor still
 * has a tracker, it is the same one or was restarted by steering.
 */
export function preserveTracker(step: SessionStep, tracker: SessionTracker | null): SessionStep {
  const { governor } = step.session;
  if (governor.tracker !== null) return step;
  return { ...step, session: { ...step.session, governor: { ...governor, tracker } } };
}

function setSessionTracker(change: StepChange, tracker: SessionTracker): StepChange {
  const { session } = change;
  if (session.governor.tracker === tracker) return change;
  return { ...change, session: { ...session, governor: { ...session.governor, tracker } } };
}

/** With savant, an automatic message is one more step of the same run. */
function trackUserMessage(
  { settings, turn }: Session,
  { at, automatic = false }: Extract<Event, { type: 'user-message' }>,
  tracker: SessionTracker,
): SessionTracker {
  if (turn.status !== 'waitingForUser' && turn.status !== 'halted') return tracker;
  if (!automatic) return restartOnUserMessage(tracker, settings.governor, at);
  return tracker.state.detector.kind === 'savant'
    ? recordInSession(tracker, { type: 'ticked', at })
    : tracker;
}

/** A phase that brings a message is refused while work is in progress. */
function trackPhaseEvent(
  { turn }: Session,
  event: Extract<Event, { type: 'phase-started' | 'phase-completed' }>,
  tracker: SessionTracker,
): SessionTracker {
  const { at } = event;
  if (event.type === 'phase-completed') {
    return recordInSession(tracker, { type: 'phase-completed', at, success: event.success });
  }
  if (event.message !== undefined && turn.status !== 'waitingForUser') return tracker;
  const { number, description, expectedMs = null } = event;
  return recordInSession(tracker, { type: 'phase-started', at, number, description, expectedMs });
}

/**
 * Records calls before they run, so that one call too many need not run; calls that need permission are recorded later.
 */
function trackModelReply(
  change: StepChange,
  turn: CallingModel,
  event: ModelReplied,
  tracker: SessionTracker,
): StepChange {
  const { at, text, problem } = event;
  const seq = change.session.seq + 1;
  const { request } = turn;
  const continuesTurn = getReplyKind(change.session, event) !== 'answer';
  const replyReport = trackReply(tracker, {
    at,
    seq,
    text,
    continuesTurn,
    calls: listCallsToRun(event, request),
  });
  const reason = problem ?? (event.calls.some(isDeniedCall) ? 'a call that is not allowed' : null);
  const report =
    reason === null
      ? replyReport
      : mergeTrackerReports(
          replyReport,
          recordDecisionFailure(replyReport.tracker, { at, seq, request, reason }),
        );
  // An agent that calls the finish tool as advised needs no further verdict.
  if (isFinishingReply(event, report.tracker)) return setSessionTracker(change, report.tracker);
  return continuesTurn ? applyJudgment(change, report, turn) : applyTextJudgment(change, turn, report);
}

function isFinishingReply(
  { calls, problem }: ModelReplied,
  { state: { detector } }: SessionTracker,
): boolean {
  if (detector.kind !== 'savant' || calls.length === 0 || problem !== undefined) return false;
  return calls.every((call) => !isDeniedCall(call) && detector.config.finishTools.includes(call.tool));
}

function listCallsToRun({ calls, problem }: ModelReplied, request: number): readonly ToolCall[] {
  if (problem !== undefined || calls.some(({ permission }) => permission === 'ask')) return [];
  return assignCallIds(calls, request).filter((_, index) => !isDeniedCall(calls[index]));
}

function isDeniedCall(call: RequestedCall | undefined): boolean {
  return call?.permission === 'deny';
}

function mergeTrackerReports(first: TrackerReport, second: TrackerReport): TrackerReport {
  return second.judgment === null ? { ...second, judgment: first.judgment } : second;
}

/**
 * A text-only reply ends the turn: advice on it waits for the next model call, and if the verdict finishes the work,
 * the reply is the last answer.
 */
function applyTextJudgment(
  change: StepChange,
  turn: CallingModel,
  { tracker, judgment }: TrackerReport,
): StepChange {
  const tracked = setSessionTracker(change, tracker);
  if (judgment === null) return tracked;
  const { session, event, notes } = tracked;
  const verdict = toSessionVerdict(session, judgment, null);
  const after =
    judgment.response === 'stop'
      ? { ...session, turn: { ...turn, ask: { ...turn.ask, finish: createSessionFinish(verdict) } } }
      : { ...session, governor: { ...session.governor, advice: verdict.advice } };
  return { session: after, event, notes: [...notes, { type: 'verdict', at: event.at, verdict }] };
}

function trackToolResult(
  change: StepChange,
  turn: ExecutingTools,
  event: ToolFinished,
  tracker: SessionTracker,
): StepChange {
  const execution = turn.executions.find(({ call }) => call.id === event.callId);
  if (execution === undefined || execution.status === 'completed') return setSessionTracker(change, tracker);
  const report = trackCallOutcome(change.session.seq + 1, { turn, execution, event, tracker });
  if (report === null) return setSessionTracker(change, tracker);
  const isMoving = event.outcome.ok && report.judgment === null;
  const progressed = isMoving ? resetRecoveries(change) : change;
  return applyJudgment(progressed, report, turn);
}

function trackCallOutcome(
  seq: number,
  what: {
    readonly turn: ExecutingTools;
    readonly execution: CallExecution;
    readonly event: ToolFinished;
    readonly tracker: SessionTracker;
  },
): TrackerReport | null {
  const { turn, execution, event, tracker } = what;
  const { at, outcome, files, tests } = event;
  const kind = outcome.ok ? undefined : outcome.error.kind;
  const output = outcome.ok ? formatToolOutput(outcome.output) : outcome.error.message;
  if (kind === 'invalid') {
    return recordDecisionFailure(tracker, { at, seq, request: turn.request, reason: output });
  }
  return isJudgedOutcome(kind)
    ? recordCallOutcome(tracker, execution.call, { at, seq, ok: outcome.ok, output, files, tests })
    : null;
}

/** The work makes progress again, so all recovery attempts become available again. */
function resetRecoveries(change: StepChange): StepChange {
  const { session } = change;
  if (session.governor.recoveries === 0) return change;
  return { ...change, session: { ...session, governor: { ...session.governor, recoveries: 0 } } };
}

function applyJudgment(
  change: StepChange,
  { tracker, judgment }: TrackerReport,
  turn: CallingModel | ExecutingTools,
): StepChange {
  const tracked = setSessionTracker(change, tracker);
  if (judgment === null || getAgenda(turn).finish?.ends === 'session') return tracked;
  const { event, notes } = tracked;
  const session = judgment.response === 'halt' ? exhaustRecoveries(tracked.session) : tracked.session;
  const verdict = toSessionVerdict(session, judgment, event);
  const agendaVerdict = { ...verdict, response: toAgendaResponse(verdict.response) };
  return {
    session: { ...session, turn: addTurnVerdict(turn, agendaVerdict) },
    event,
    notes: [...notes, { type: 'verdict', at: event.at, verdict }],
  };
}

/** If no recovery is known, mark all attempts as used, which halts the session at the next progress check. */
function exhaustRecoveries(session: Session): Session {
  const { governor, settings } = session;
  return { ...session, governor: { ...governor, recoveries: settings.maxRecoveries } };
}

function toAgendaResponse(response: VerdictResponse): VerdictResponse {
  return response.kind === 'halt' ? { kind: 'recover' } : response;
}

/**
 * Converts a tracker verdict and adds the known recovery for the current error: its advice, and its delay if it waits.
 */
function toSessionVerdict(
  { settings }: Session,
  { verdict, response }: TrackerJudgment,
  event: Event | null,
): Verdict {
  const { severity, rule, reason, advice, evidence } = verdict;
  const errorText = event?.type === 'tool-finished' && !event.outcome.ok ? event.outcome.error.message : null;
  const known =
    errorText === null
      ? null
      : findRecovery(settings.governor.recoveries, { errorText, args: null, tools: new Set() });
  const waits = response === 'recover' && known?.remedy.do === 'wait' ? { waitMs: known.remedy.ms } : {};
  return {
    severity,
    rule,
    reason,
    advice: known === null ? advice : `${advice} ${known.advice}`,
    evidence,
    response: { kind: response, ...waits },
  };
}
