import type { Event, ModelReplied, RequestedCall, ToolFinished } from '../session/event.ts';
import type { StepChange } from '../session/session-step.ts';
import type { Verdict } from '@pawl/governor';
import { isPagingDue } from '../memory/memory.ts';
import { hasLogPatch, logPatches } from '../session/log-version.ts';
import type { Note } from '../session/note.ts';
import type { Session } from '../session/session.ts';
import { addTurnVerdict } from '../turn/apply-verdict.ts';
import { isStaleAnswer } from '../turn/refuse-event.ts';
import type { CallingModel, ExecutingTools, PagingTurn } from '../session/turn-state.ts';
import { type ModeEventPayload, transitionMode, type ModeTransition } from '../modes/transition-mode.ts';
import { restartTerminalMode, startMode, type CurrentMode } from '../modes/mode.ts';
import { getModeState, type ModeChart } from '../modes/mode-chart.ts';

/** Updates the mode for an event, before the turn reducer runs. Calls the mode does not allow are denied. */
export function reduceMode(session: Session, event: Event, chart: ModeChart): StepChange {
  const { mode } = session;
  return mode === null ? { session, event, notes: [] } : reduceActiveMode(session, event, { chart, mode });
}

type ActiveMode = { readonly chart: ModeChart; readonly mode: CurrentMode };

function reduceActiveMode(session: Session, event: Event, { chart, mode }: ActiveMode): StepChange {
  const { turn } = session;
  switch (turn.status) {
    case 'waitingForUser':
    case 'halted':
      return restartMode(session, event, { chart, mode });
    case 'callingModel':
      if (event.type === 'model-replied' && !isStaleAnswer(turn, event)) {
        return applyModelReply(session, turn, { event, chart, mode });
      }
      break;
    case 'executingTools':
      if (event.type === 'tool-finished' && !isStaleAnswer(turn, event)) {
        return applyToolResults(session, turn, { event, chart, mode });
      }
      break;
    case 'paging':
      if (isPagingFinished(turn, event, { chart, mode })) {
        return applyTransition(
          session,
          event,
          transitionMode(chart, mode, { type: 'paging-done', at: event.at }),
        );
      }
      break;
    default:
  }
  return { session, event, notes: [] };
}

function isPagingFinished(turn: PagingTurn, event: Event, { chart, mode }: ActiveMode): boolean {
  const hasEnded = event.type === 'paging-finished' || event.type === 'paging-failed';
  return hasEnded && !isStaleAnswer(turn, event) && chart.paging?.state === mode.state;
}

/** Moves a session that the governor found to be stuck to the chart's stuck state, if there is one. */
export function reduceStuckMode({ session, event, notes }: StepChange, chart: ModeChart): StepChange {
  const { mode } = session;
  const verdict = notes.findLast((note) => note.type === 'verdict' && note.verdict.response.kind === 'stop');
  if (mode === null || verdict?.type !== 'verdict') return { session, event, notes };
  if ((getModeState(chart, mode.state)?.stuckState ?? null) === null) return { session, event, notes };
  const payload = { type: 'stuck-found', cause: verdict.verdict.rule } as const;
  const draft = applyTransition(session, event, transitionMode(chart, mode, { ...payload, at: event.at }));
  return { ...draft, notes: [...notes, ...draft.notes] };
}

/** A message after a stop starts the modes anew, because the session may have stopped in any of them. */
function restartMode(session: Session, event: Event, { chart, mode }: ActiveMode): StepChange {
  const isHalted = session.turn.status === 'halted';
  const isMessage = event.type === 'user-message' || (isHalted && event.type === 'steered');
  if (!isMessage) return { session, event, notes: [] };
  const restarted = isHalted ? startMode(chart, event.at) : restartTerminalMode(mode, chart, event.at);
  return { session: restarted === mode ? session : { ...session, mode: restarted }, event, notes: [] };
}

type ActiveModeEvent<Type> = ActiveMode & { readonly event: Type };

function applyModelReply(
  session: Session,
  turn: CallingModel,
  { event, chart, mode }: ActiveModeEvent<ModelReplied>,
): StepChange {
  const { at } = event;
  if (turn.ask.finish !== null) {
    const cause = turn.ask.finish.ends === 'session' ? 'stuck_detection' : 'finish';
    return applyTransition(session, event, transitionMode(chart, mode, { type: 'finish-asked', cause, at }));
  }
  const reply = hasLogPatch(session, logPatches.seedsInSessions) ? markThought(session, event) : event;
  const ticked = transitionMode(chart, mode, { type: 'ticked', at });
  const after = transitionMode(chart, ticked.mode, { ...toModePayload(session, reply, chart), at });
  const calls = after.refused.length === 0 ? reply.calls : denyRefusedCalls(reply.calls, after);
  const checkedEvent = calls === reply.calls ? reply : { ...reply, calls };
  const draft = applyTransition(session, checkedEvent, after);
  return ticked.ok ? draft : endIterations(draft, turn, ticked.error ?? 'all iterations are used up');
}

/** Marks an unmarked reply as a thought in a mode that takes text for one, so that the turn continues. */
function markThought(session: Session, event: ModelReplied): ModelReplied {
  return event.kind === undefined && takesTextForThought(session) ? { ...event, kind: 'thought' } : event;
}

/** Whether a reply of text alone, without a mark of its kind, is a thought in the current mode, not an answer. */
export function takesTextForThought({ mode, settings: { chart } }: Session): boolean {
  if (mode === null || chart === null) return false;
  return chart.transitions.by === 'reply' || (getModeState(chart, mode.state)?.afterText ?? null) !== null;
}

/** The chart allows no more iterations, so the next model call is the last one. */
function endIterations(
  { session, event, notes }: StepChange,
  turn: CallingModel,
  reason: string,
): StepChange {
  const verdict: Verdict = {
    severity: 'stop',
    rule: 'budget',
    reason,
    advice: 'There is no more time. Answer now with what you have, and say what is left to do.',
    evidence: [session.seq + 1],
    response: { kind: 'stop' },
  };
  const note = { type: 'verdict', at: event.at, verdict } as const;
  const after = { ...session, turn: addTurnVerdict(turn, verdict) };
  return { session: after, event, notes: [...notes, note] };
}

/** Paging takes precedence over the mode the model requests, but not over its tool calls. */
function toModePayload(session: Session, event: ModelReplied, chart: ModeChart): ModeEventPayload {
  if (event.problem !== undefined) return { type: 'reply-failed', reason: event.problem };
  if (event.calls.length === 0 && shouldPage(session, chart)) return { type: 'paging-needed' };
  return {
    type: 'reply-read',
    tools: event.calls.map(({ tool }) => tool),
    nextState: event.nextState ?? null,
    text: event.text.trim() !== '' && !isMarkedAnswer(session, event),
  };
}

/** Whether the mode checks the paging limit, and memory has reached it. */
function shouldPage({ memory, mode, ...session }: Session, { states, paging }: ModeChart): boolean {
  if (paging === null || memory === null || !isPagingDue(memory)) return false;
  const checksLimit = states.some(({ name, next }) => name === mode?.state && next.includes(paging.state));
  return checksLimit || !hasLogPatch(session, logPatches.seedsInSessions);
}

/** An answer ends the turn, so its text is not a thought that leads to another mode. */
function isMarkedAnswer(session: Session, event: ModelReplied): boolean {
  return event.kind === 'answer' && hasLogPatch(session, logPatches.seedsInSessions);
}

function denyRefusedCalls(
  calls: readonly RequestedCall[],
  { refused, error }: ModeTransition,
): readonly RequestedCall[] {
  const denialReason = `Not run: ${error ?? 'the current phase does not allow it'}.`;
  return calls.map((call) =>
    refused.includes(call.tool) ? { ...call, permission: 'deny', denialReason } : call,
  );
}

/** Applies the tool results when the last call of the round has finished. */
function applyToolResults(
  session: Session,
  turn: ExecutingTools,
  { event, chart, mode }: ActiveModeEvent<ToolFinished>,
): StepChange {
  const others = turn.executions.filter(({ call }) => call.id !== event.callId);
  const isKnown = others.length < turn.executions.length;
  if (!isKnown || others.some(({ status }) => status !== 'completed')) return { session, event, notes: [] };
  const outcomes = [
    ...others.flatMap((each) => (each.status === 'completed' ? [each.outcome] : [])),
    event.outcome,
  ];
  const failure = outcomes.find((outcome) => !outcome.ok);
  const reason = failure === undefined || failure.ok ? null : failure.error.message;
  const payload = { type: 'results-in', ok: failure === undefined, reason } as const;
  return applyTransition(session, event, transitionMode(chart, mode, { ...payload, at: event.at }));
}

function applyTransition(session: Session, event: Event, { mode, changes }: ModeTransition): StepChange {
  const notes: readonly Note[] = changes.map((change) => ({ type: 'mode', ...change }));
  return { session: mode === session.mode ? session : { ...session, mode }, event, notes };
}
