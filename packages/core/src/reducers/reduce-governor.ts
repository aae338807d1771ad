import {
  observeRepetitionLoop,
  formatToolOutput,
  judgeObservation,
  isContinuationMessage,
  observeCall,
  observeMarkedCall,
  observeText,
  resetReplyWindows,
  screenCalls,
  type CallFacts,
  type CallObservation,
  type GovernorObservation,
  type RepetitionObservation,
  type Rule,
  type Verdict,
} from '@pawl/governor';
import { getPawlRules, selectRules } from '@pawl/governor/rules';
import { isJudgedOutcome, type ToolCall } from '../conversation/message.ts';
import type { Event, EventOfType, ModelReplied, PermissionDecided } from '../session/event.ts';
import { logPatches, hasLogPatch, latestLogVersion } from '../session/log-version.ts';
import type { ModeChart } from '../modes/mode-chart.ts';
import { findReachedModeLimit } from '../modes/mode.ts';
import { initialGovernor, type Session } from '../session/session.ts';
import { acceptsUserMessage } from '../session/session-status.ts';
import { createSessionFinish } from '../turn/agenda.ts';
import { addTurnVerdict, createHaltEvent, createVerdictChange } from '../turn/apply-verdict.ts';
import { getReplyKind } from '../turn/calls.ts';
import { isStaleAnswer } from '../turn/refuse-event.ts';
import type { AwaitingPermission, CallingModel, ExecutingTools } from '../session/turn-state.ts';
import type { StepChange } from '../session/session-step.ts';

/** Returns the rules of a session: those of its preset and log version with its overrides, and then `ownRules`. */
export function selectSessionRules(session: Session, ownRules?: readonly Rule[]): readonly Rule[] {
  const { settings, logVersion = 0 } = session;
  // Almost every session has the latest version, and every event asks for the rules.
  return logVersion === latestLogVersion
    ? selectRules(settings.governor, ownRules)
    : selectRules(settings.governor, ownRules, getPawlRules(logVersion));
}

/** Judges the events that show whether the work makes progress. */
export function reduceGovernor(session: Session, event: Event, rules: readonly Rule[]): StepChange {
  const { turn } = session;
  switch (event.type) {
    case 'user-message':
      return acceptsUserMessage(session) ? resetGovernor(session, event) : { session, event, notes: [] };
    case 'tool-finished':
      if (turn.status === 'executingTools' && !isStaleAnswer(turn, event)) {
        return judgeToolResult(session, turn, event, rules);
      }
      break;
    case 'model-replied':
      if (turn.status === 'callingModel' && !isStaleAnswer(turn, event)) {
        return judgeReply(session, turn, event, rules);
      }
      break;
    case 'permission-decided':
      return judgePermissionDecision(session, event, rules);
    case 'paging-finished':
      return judgePaging(session, event, rules);
    default:
  }
  return { session, event, notes: [] };
}

/**
 * A user message resets the governor: earlier calls no longer count. If it only asks to continue, they still do, but
 * blocked calls are allowed again. After a stop, the user has seen the reason, and asking to continue resets it as well.
 */
function resetGovernor(session: Session, event: EventOfType<'user-message'>): StepChange {
  if (event.automatic === true || session.governor === initialGovernor) return { session, event, notes: [] };
  const isContinued =
    session.turn.status === 'waitingForUser' &&
    hasLogPatch(session, logPatches.resultsAreRead) &&
    isContinuationMessage(event.text);
  const detector = resetReplyWindows(session.governor.detector);
  const governor = isContinued ? { ...initialGovernor, detector } : initialGovernor;
  return { session: { ...session, governor }, event, notes: [] };
}

function judgeToolResult(
  session: Session,
  turn: ExecutingTools,
  event: EventOfType<'tool-finished'>,
  rules: readonly Rule[],
): StepChange {
  const execution = turn.executions.find((each) => each.call.id === event.callId);
  const { outcome } = event;
  const kind = outcome.ok ? undefined : outcome.error.kind;
  if (
    execution === undefined ||
    execution.status === 'completed' ||
    !(isJudgedOutcome(kind) || kind === 'invalid')
  ) {
    return { session, event, notes: [] };
  }
  const seq = session.seq + 1;
  const { tool, args } = execution.call;
  const output = outcome.ok ? formatToolOutput(outcome.output) : outcome.error.message;
  const observation =
    kind === 'invalid'
      ? ({ kind: 'decision', seq, request: turn.request } as const)
      : observeSessionCall(session, {
          seq,
          at: event.at,
          tool,
          args,
          ok: outcome.ok,
          isMarkFinal: event.judged,
          output,
          files: event.files,
        });
  const hasFailed = observation.kind === 'decision' || observation.error !== null;
  const { state: governor, verdict } = judgeObservation(session.governor, observation, {
    rules,
    settings: session.settings.governor,
    failure: hasFailed ? { args, errorText: output } : null,
  });
  const observed = { ...session, governor };
  if (verdict === null) return { session: observed, event, notes: [] };
  return createVerdictChange({ ...observed, turn: addTurnVerdict(turn, verdict) }, event, verdict);
}

/** Reads the result of a call; sessions of older log versions believe its mark. */
function observeSessionCall(session: Session, facts: CallFacts): CallObservation {
  return hasLogPatch(session, logPatches.resultsAreRead) ? observeCall(facts) : observeMarkedCall(facts);
}

/** Observes a denied call as a failure, whatever the reason for the denial says. */
function observeDeniedCall(
  session: Session,
  call: Pick<CallFacts, 'at' | 'tool' | 'args' | 'output'>,
): CallObservation {
  return observeSessionCall(session, { ...call, seq: session.seq + 1, ok: false, isMarkFinal: true });
}

/**
 * Judges a model reply: blocked or denied calls, a repetition loop, or text only. The answer to a last call is not
 * judged.
 */
function judgeReply(
  session: Session,
  turn: CallingModel,
  event: ModelReplied,
  rules: readonly Rule[],
): StepChange {
  if (turn.ask.finish !== null) return { session, event, notes: [] };
  if (event.problem !== undefined) return judgeUnreadableReply(session, turn, event, rules);
  if (event.calls.length > 0) {
    const screened =
      session.governor.blockedCalls.length === 0
        ? { session, event, notes: [] }
        : denyBlockedCalls(session, turn, event);
    return event.calls.some(({ permission }) => permission === 'deny')
      ? judgeDeniedCalls(screened, turn, event, rules)
      : screened;
  }
  const loop = rules.some((rule) => rule.on === 'repetition-loop')
    ? observeRepetitionLoop(session.seq + 1, event.text)
    : null;
  return loop === null
    ? judgeTextReply(session, turn, event, rules)
    : judgeRepetitionLoop(session, turn, { event, loop, rules });
}

/** Judges a reply that could not be parsed. */
function judgeUnreadableReply(
  session: Session,
  turn: CallingModel,
  event: ModelReplied,
  rules: readonly Rule[],
): StepChange {
  const observation = { kind: 'decision', seq: session.seq + 1, request: turn.request } as const;
  const { session: observed, verdict } = observeInSession(session, observation, rules);
  if (verdict === null) return { session: observed, event, notes: [] };
  return createVerdictChange({ ...observed, turn: addTurnVerdict(turn, verdict) }, event, verdict);
}

/** Denies blocked calls, and finishes the work if the model keeps requesting them. */
function denyBlockedCalls(session: Session, turn: CallingModel, event: ModelReplied): StepChange {
  const { state: governor, blocks, verdict } = screenCalls(session.governor, event.calls, session.seq + 1);
  const calls = event.calls.map((call, index) => {
    const block = blocks[index] ?? null;
    return block === null
      ? call
      : { ...call, permission: 'deny' as const, denialReason: `Not run again: ${block.advice}` };
  });
  const observed = { ...session, governor };
  const screened = { ...event, calls };
  if (verdict === null) return { session: observed, event: screened, notes: [] };
  return createVerdictChange({ ...observed, turn: addTurnVerdict(turn, verdict) }, screened, verdict);
}

/** Observes calls that a rule denied as failures, because requesting them repeatedly makes no progress. */
function judgeDeniedCalls(
  screened: StepChange,
  turn: CallingModel,
  reply: ModelReplied,
  rules: readonly Rule[],
): StepChange {
  if (!shouldJudgeDenials(screened.session) || screened.notes.length > 0) return screened;
  let { session } = screened;
  for (const { tool, args, permission, denialReason: output = 'denied' } of reply.calls) {
    if (permission !== 'deny') continue;
    const denied = observeDeniedCall(session, { at: reply.at, tool, args, output });
    const judged = observeInSession(session, denied, rules);
    session = judged.session;
    if (judged.verdict === null) continue;
    const after = { ...session, turn: addTurnVerdict(turn, judged.verdict) };
    return createVerdictChange(after, screened.event, judged.verdict);
  }
  return session === screened.session ? screened : { ...screened, session };
}

/** Observes a denied permission as a failed call. */
function judgePermissionDecision(
  session: Session,
  event: PermissionDecided,
  rules: readonly Rule[],
): StepChange {
  const { turn } = session;
  const isDenial = event.decision === 'deny' && shouldJudgeDenials(session);
  const call = isDenial && turn.status === 'awaitingPermission' ? findPendingCall(turn, event) : undefined;
  if (call === undefined || turn.status !== 'awaitingPermission') return { session, event, notes: [] };
  const { tool, args } = call;
  const { at, reason = 'denied' } = event;
  const denied = observeDeniedCall(session, { at, tool, args, output: reason });
  const { session: judged, verdict } = observeInSession(session, denied, rules);
  if (verdict === null) return { session: judged, event, notes: [] };
  return createVerdictChange({ ...judged, turn: addTurnVerdict(turn, verdict) }, event, verdict);
}

function findPendingCall(turn: AwaitingPermission, event: PermissionDecided): ToolCall | undefined {
  if (isStaleAnswer(turn, event)) return undefined;
  return turn.calls.find(({ call, decision }) => call.id === event.callId && decision === 'pending')?.call;
}

/** In sessions with modes, the mode counts the calls it does not allow. */
function shouldJudgeDenials(session: Session): boolean {
  return session.mode === null && hasLogPatch(session, logPatches.denialsAreSeen);
}

/**
 * Judges a text-only reply. An answer ends the turn, so advice on it waits for the next model call; if the verdict
 * finishes the work, the answer stands as the last one. A thought continues the turn, and the verdict joins the agenda.
 */
function judgeTextReply(
  session: Session,
  turn: CallingModel,
  event: ModelReplied,
  rules: readonly Rule[],
): StepChange {
  const { session: observed, verdict } = observeInSession(
    session,
    observeText(session.seq + 1, event.text),
    rules,
  );
  const governor = { ...observed.governor, advice: null };
  if (verdict === null) return { session: { ...session, governor }, event, notes: [] };
  if (getReplyKind(session, event) === 'thought')
    return createVerdictChange({ ...session, governor, turn: addTurnVerdict(turn, verdict) }, event, verdict);
  const change =
    verdict.response.kind === 'stop'
      ? {
          ...session,
          governor,
          turn: { ...turn, ask: { ...turn.ask, finish: createSessionFinish(verdict) } },
        }
      : { ...session, governor: { ...governor, advice: verdict.advice } };
  return createVerdictChange(change, event, verdict);
}

/** Turns a repetition loop into a model failure, so that the model is called again with advice about it. */
function judgeRepetitionLoop(
  session: Session,
  turn: CallingModel,
  {
    event,
    loop,
    rules,
  }: { readonly event: ModelReplied; readonly loop: RepetitionObservation; readonly rules: readonly Rule[] },
): StepChange {
  const { session: observed, verdict } = observeInSession(session, loop, rules);
  const { at, request } = event;
  const message = `The reply says one thing over and over: “${loop.block}”, ${loop.times} times in a row.`;
  const failed: Event = {
    type: 'model-failed',
    at,
    ...(request !== undefined && { request }),
    error: { kind: 'repetition-loop', message },
  };
  if (verdict === null) return { session: observed, event: failed, notes: [] };
  if (verdict.response.kind === 'stop') {
    return { session: observed, event: createHaltEvent(verdict, at), notes: [] };
  }
  const ask = { ...turn.ask, advice: verdict.advice };
  return createVerdictChange({ ...observed, turn: { ...turn, ask } }, failed, verdict);
}

/** Judges a paging attempt. Repeated fruitless paging halts the session if a model call is waiting for room. */
function judgePaging(
  session: Session,
  event: EventOfType<'paging-finished'>,
  rules: readonly Rule[],
): StepChange {
  const { turn } = session;
  if (turn.status !== 'paging' || isStaleAnswer(turn, event)) return { session, event, notes: [] };
  const { asking, modelRetries } = turn.work;
  const fruitless = hasFreedLittle(session, event) || (asking && modelRetries > 1);
  const observation = { kind: 'paging', seq: session.seq + 1, fruitless } as const;
  const { session: observed, verdict } = observeInSession(session, observation, rules);
  if (verdict === null) return { session: observed, event, notes: [] };
  return verdict.response.kind === 'stop' && asking
    ? { session: observed, event: createHaltEvent(verdict, event.at), notes: [] }
    : createVerdictChange(observed, event, verdict);
}

/** Minimum share of the held tokens that paging must free to count as successful. */
const freedShareMin = 0.1;

/** With nothing held nothing can be freed, so such a paging attempt failed. */
function hasFreedLittle(
  session: Session,
  { freedTokens, heldTokens }: EventOfType<'paging-finished'>,
): boolean {
  if (heldTokens === undefined) return freedTokens <= 0;
  const isNothing = freedTokens <= 0 && hasLogPatch(session, logPatches.countsAreFair);
  return isNothing || freedTokens < heldTokens * freedShareMin;
}

/** Checks whether the agent has exceeded a limit of its mode: steps, time or failures. */
export function judgeMode(draft: StepChange, chart: ModeChart, rules: readonly Rule[]): StepChange {
  const { session, event, notes } = draft;
  const { turn, mode } = session;
  if (event.type !== 'model-replied' || turn.status !== 'callingModel' || mode === null) return draft;
  if (turn.ask.finish !== null) return draft;
  const limit = findReachedModeLimit(chart, mode, event.at);
  if (limit === null) return draft;
  const observation = {
    kind: 'mode',
    seq: session.seq + 1,
    state: mode.state,
    since: mode.enteredAt,
    reason: limit.reason,
  } as const;
  const { session: observed, verdict } = observeInSession(session, observation, rules);
  if (verdict === null) return { session: observed, event, notes };
  const judged = createVerdictChange({ ...observed, turn: addTurnVerdict(turn, verdict) }, event, verdict);
  return { ...judged, notes: [...notes, ...judged.notes] };
}

/** Adds an observation that is not a failed tool execution, so no error remedy applies. */
function observeInSession(
  session: Session,
  observation: GovernorObservation,
  rules: readonly Rule[],
): { readonly session: Session; readonly verdict: Verdict | null } {
  const settings = session.settings.governor;
  const { state: governor, verdict } = judgeObservation(session.governor, observation, { rules, settings });
  return { session: { ...session, governor }, verdict };
}
