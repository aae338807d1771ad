import { getUnpausedTurn, type Session, type TurnState, type TurnStatus, type Verdict } from '@pawl/core';
import { listNextStates } from '@pawl/core/modes';
import {
  listUnrunCalls,
  listVerdicts,
  getItemDuration,
  getItemTopic,
  isFailedItem,
  isTimelineItem,
  listTranscriptItems,
  summarizeItem,
  type ReplayedStep,
  type TranscriptItem,
  type TranscriptTopic,
} from '@pawl/core/projections';
import { computeRuleDistances, type RuleDistance } from '@pawl/governor';
import { selectRules } from '@pawl/governor/rules';
import type { SentModelRequest } from './model-requests.ts';

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
  add(each: ReplayedStep): void;
  record(): StepRecord;
};

/** Builds the record lazily, because only one step is requested. */
export function openStep(cause: ReplayedStep, sent: SentModelRequest, number: number): OpenStep {
  const events: ReplayedStep[] = [];
  return {
    number,
    begins: cause.seq,
    ends: () => events.at(-1)?.seq ?? cause.seq,
    add: (each) => void events.push(each),
    record: () => buildStepRecord(cause, sent, events, number),
  };
}

function buildStepRecord(
  cause: ReplayedStep,
  { request, attempt, ask }: SentModelRequest,
  events: readonly ReplayedStep[],
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
    denied: events.flatMap(toCallDenials),
    rules: computeRuleDistances(end.governor.detector, selectRules(governor)),
    preset: governor.preset,
    led: { seq: end.seq, to: end.turn.status, by: events.flatMap(listTransitionStates) },
  };
}

function listTransitionStates({ after }: ReplayedStep): readonly TurnStatus[] {
  return after.notes.flatMap((note) => (note.type === 'transition' ? [note.to] : []));
}

function getStepMode({ mode, settings: { chart } }: Session): StepRecord['mode'] {
  return mode === null || chart === null ? null : { state: mode.state, next: listNextStates(chart, mode) };
}

function getFinishRequestReason(turn: TurnState): string | null {
  const activeTurn = getUnpausedTurn(turn);
  return activeTurn.status === 'callingModel' ? (activeTurn.ask.finish?.reason ?? null) : null;
}

function toCallDenials(replayed: ReplayedStep): readonly CallDenial[] {
  return listUnrunCalls(replayed).map(({ tool, errorKind: kind, reason, rule }) => ({
    seq: replayed.seq,
    tool,
    kind,
    reason,
    rule,
  }));
}

/** One timeline entry, on one line. Texts are raw: the caller must sanitize them before display. */
export type TimelineEntry = {
  readonly seq: number;
  readonly at: number;
  readonly what: TranscriptTopic;
  readonly text: string;
  readonly tookMs: number | null;
  readonly failed: boolean;
  /** The change to a file as a unified diff; null if there is none. */
  readonly diff: string | null;
};

/** Converts a step to timeline entries. Many steps have none; a call, for example, is reported when it ends. */
export function toTimelineEntries(replayed: ReplayedStep): readonly TimelineEntry[] {
  return listTranscriptItems(replayed).filter(isTimelineItem).map(toTimelineEntry);
}

export function toTimelineEntry(item: TranscriptItem): TimelineEntry {
  const text = summarizeItem(item);
  return {
    seq: item.seq,
    at: item.at,
    what: getItemTopic(item),
    text: text.length > maxTimelineText ? `${text.slice(0, maxTimelineText)}…` : text,
    tookMs: getItemDuration(item),
    failed: isFailedItem(item),
    diff: item.kind === 'tool-result' && item.diffs.length > 0 ? item.diffs.join('\n') : null,
  };
}

/** Maximum text length of an entry; the log has the full text. */
const maxTimelineText = 2_000;
