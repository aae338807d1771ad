import {
  getConversation,
  getUnpausedTurn,
  type ToolOutcome,
  type Session,
  type TurnState,
  type TurnStatus,
  type Verdict,
  toItemArray,
} from '@pawl/core';
import { listNextStates } from '@pawl/core/modes';
import { computeRuleDistances, type RuleDistance } from '@pawl/governor';
import { selectRules } from '@pawl/governor/rules';
import type { SentModelRequest } from './show-request.ts';
import { toTimelineEntries } from './session-timeline.ts';
import type { ReplayedEvent } from './session-replay.ts';

/** Explains why one step went the way it did. */
export type StepRecord = {
  readonly number: number;
  /** The event that caused the step, and a description of it. */
  readonly seq: number;
  readonly because: string;
  readonly request: number;
  readonly attempt: number;
  /** What the prompt contained besides the conversation. */
  readonly injected: {
    readonly advice: string | null;
    /** The rule of the verdict that gave the advice, if the causing event reached that verdict. */
    readonly adviceRule: string | null;
    readonly modeSection: string | null;
    /** Why no tools were offered, if the final answer was requested. */
    readonly lastAnswer: string | null;
  };
  readonly mode: { readonly state: string; readonly next: readonly string[] } | null;
  /** Timeline entries of the step. */
  readonly happened: readonly { readonly seq: number; readonly what: string; readonly text: string }[];
  readonly verdicts: readonly (Verdict & { readonly seq: number })[];
  readonly denied: readonly CallDenial[];
  /** The active rules, and how far each was from its next threshold at the end of the step. */
  readonly rules: readonly RuleDistance[];
  /** The governor's preset; presets with their own tracker have no rules to list. */
  readonly preset: string;
  readonly led: { readonly seq: number; readonly to: TurnStatus; readonly by: readonly TurnStatus[] };
};

/** A call that did not run. `rule` is the governor rule that refused it, if any. */
export type CallDenial = {
  readonly seq: number;
  readonly tool: string;
  readonly kind: string;
  readonly reason: string;
  readonly rule: string | null;
};

/** A step that is still collecting events. */
export type OpenStep = {
  readonly number: number;
  /** The numbers of the event that caused it and of its last event. */
  readonly begins: number;
  ends(): number;
  add(each: ReplayedEvent): void;
  record(): StepRecord;
};

/** Builds the record lazily, because only one step is requested. */
export function openStep(cause: ReplayedEvent, sent: SentModelRequest, number: number): OpenStep {
  const events: ReplayedEvent[] = [];
  return {
    number,
    begins: cause.seq,
    ends: () => events.at(-1)?.seq ?? cause.seq,
    add: (each) => void events.push(each),
    record: () => buildStepRecord(cause, sent, events, number),
  };
}

function buildStepRecord(
  cause: ReplayedEvent,
  { request, attempt, ask }: SentModelRequest,
  events: readonly ReplayedEvent[],
  number: number,
): StepRecord {
  const started = cause.after.session;
  const end = events.at(-1)?.after.session ?? started;
  const { governor } = end.settings;
  return {
    number,
    seq: cause.seq,
    because: toTimelineEntries(cause).find(({ what }) => what !== 'wait')?.text ?? cause.event.type,
    request,
    attempt,
    injected: {
      advice: ask.advice,
      adviceRule: ask.advice === null ? null : (listVerdicts(cause).at(-1)?.rule ?? null),
      modeSection: ask.state,
      lastAnswer: getFinishRequestReason(started.turn),
    },
    mode: getStepMode(started),
    happened: events.flatMap(toTimelineEntries).map(({ seq, what, text }) => ({ seq, what, text })),
    verdicts: events.flatMap(listVerdicts),
    denied: collectDenials(events),
    rules: computeRuleDistances(end.governor.watch, selectRules(governor)),
    preset: governor.preset,
    led: { seq: end.seq, to: end.turn.status, by: events.flatMap(listTransitionStates) },
  };
}

function listTransitionStates({ after }: ReplayedEvent): readonly TurnStatus[] {
  return after.notes.flatMap((note) => (note.type === 'transition' ? [note.to] : []));
}

/** Lists the verdicts that an event caused: those of the governor, and one reached externally. */
export function listVerdicts({
  seq,
  event,
  after,
}: ReplayedEvent): readonly (Verdict & { readonly seq: number })[] {
  const noted = after.notes.flatMap((note) => (note.type === 'verdict' ? [{ ...note.verdict, seq }] : []));
  return event.type === 'verdict-reached' && noted.length === 0 ? [{ ...event.verdict, seq }] : noted;
}

function getStepMode({ mode, settings: { chart } }: Session): StepRecord['mode'] {
  return mode === null || chart === null ? null : { state: mode.state, next: listNextStates(chart, mode) };
}

function getFinishRequestReason(turn: TurnState): string | null {
  const activeTurn = getUnpausedTurn(turn);
  return activeTurn.status === 'callingModel' ? (activeTurn.ask.finish?.reason ?? null) : null;
}

/** Error kinds of calls that never ran. */
const notRunErrorKinds: ReadonlySet<string> = new Set(['denied', 'invalid', 'skipped', 'cancelled']);

/** Reports each call once, at its first event, because it shows in every event until its results are in. */
function collectDenials(events: readonly ReplayedEvent[]): readonly CallDenial[] {
  const denied = new Map<string, CallDenial>();
  for (const [id, denial] of events.flatMap(listDenials)) if (!denied.has(id)) denied.set(id, denial);
  return [...denied.values()];
}

/** Lists the calls that did not run according to an event, by id. */
function listDenials({ seq, before, after }: ReplayedEvent): readonly (readonly [string, CallDenial])[] {
  const rule = findRefusingRule(before, after.session);
  return listCompletedCalls(before, after.session).flatMap(({ id, tool, outcome }) => {
    if (outcome.ok || !notRunErrorKinds.has(outcome.error.kind)) return [];
    const { kind, message } = outcome.error;
    return [[id, { seq, tool, kind, reason: message, rule: kind === 'denied' ? rule : null }] as const];
  });
}

/** Detects a refusal by the governor's count of repeated requests for a refused call. */
function findRefusingRule(before: Session, after: Session): string | null {
  const sent = new Map(before.governor.refused.map((each) => [each.call, each.asked]));
  return after.governor.refused.find((each) => each.asked > (sent.get(each.call) ?? 0))?.rule ?? null;
}

type CompletedCall = { readonly id: string; readonly tool: string; readonly outcome: ToolOutcome };

function listCompletedCalls(before: Session, after: Session): readonly CompletedCall[] {
  const turn = getUnpausedTurn(after.turn);
  if (turn.status === 'executingTools') {
    return turn.executions.flatMap((each) =>
      each.status === 'completed' ? [{ ...each.call, outcome: each.outcome }] : [],
    );
  }
  if (turn.status === 'awaitingPermission') {
    return turn.calls.flatMap((each) =>
      each.decision === 'denied' ? [{ ...each.call, outcome: each.outcome }] : [],
    );
  }
  const lengthBefore = getConversation(before).length;
  const added =
    getConversation(after).length > lengthBefore
      ? toItemArray(getConversation(after)).slice(lengthBefore)
      : [];
  return added.flatMap((message) =>
    message.role === 'tool' ? [{ id: message.callId, tool: message.tool, outcome: message.outcome }] : [],
  );
}
