import {
  conversationOf,
  distances,
  nextStates,
  rulesFor,
  toArray,
  unpaused,
  type Distance,
  type Outcome,
  type Session,
  type Turn,
  type TurnStatus,
  type Verdict,
} from '@pawl/core';
import type { Asked } from './show-request.ts';
import { timelineOf } from './show-timeline.ts';
import type { Walked } from './show-walk.ts';

/** Why one step went the way it did. */
export type StepRecord = {
  readonly number: number;
  /** The event that led to it, and what that was. */
  readonly seq: number;
  readonly because: string;
  readonly request: number;
  readonly attempt: number;
  /** What the prompt had besides the conversation. */
  readonly injected: {
    readonly advice: string | null;
    /** The verdict whose advice that is, if the event that led to the step reached it. */
    readonly adviceRule: string | null;
    readonly modeSection: string | null;
    /** Why no tools were offered: the last answer was asked for. */
    readonly lastAnswer: string | null;
  };
  readonly mode: { readonly state: string; readonly next: readonly string[] } | null;
  /** What happened, an entry each. */
  readonly happened: readonly { readonly seq: number; readonly what: string; readonly text: string }[];
  readonly verdicts: readonly (Verdict & { readonly seq: number })[];
  readonly denied: readonly Denial[];
  /** The rules that looked on, and how near each was to what it would do next, once the step was over. */
  readonly rules: readonly Distance[];
  /** The governor's preset: those that judge by a tracker of their own have no rules to list. */
  readonly preset: string;
  readonly led: { readonly seq: number; readonly to: TurnStatus; readonly by: readonly TurnStatus[] };
};

/** A call that was not run. `rule` is the one that refused it, where that was the governor. */
export type Denial = {
  readonly seq: number;
  readonly tool: string;
  readonly kind: string;
  readonly reason: string;
  readonly rule: string | null;
};

/** A step that is being told, event by event. */
export type OpenStep = {
  readonly number: number;
  /** The numbers of the event that led to it and of the last that is part of it. */
  readonly begins: number;
  ends(): number;
  add(each: Walked): void;
  record(): StepRecord;
};

/** What is told of it is only worked out for the step that somebody asks for. */
export function openStep(begin: Walked, asked: Asked, number: number): OpenStep {
  const events: Walked[] = [];
  return {
    number,
    begins: begin.seq,
    ends: () => events.at(-1)?.seq ?? begin.seq,
    add: (each) => void events.push(each),
    record: () => recordOf(begin, asked, events, number),
  };
}

function recordOf(
  begin: Walked,
  { request, attempt, ask }: Asked,
  events: readonly Walked[],
  number: number,
): StepRecord {
  const begun = begin.after.session;
  const end = events.at(-1)?.after.session ?? begun;
  const { governor } = end.settings;
  return {
    number,
    seq: begin.seq,
    because: timelineOf(begin).find(({ what }) => what !== 'wait')?.text ?? begin.event.type,
    request,
    attempt,
    injected: {
      advice: ask.advice,
      adviceRule: ask.advice === null ? null : (verdictsIn(begin).at(-1)?.rule ?? null),
      modeSection: ask.state,
      lastAnswer: finishIn(begun.turn),
    },
    mode: modeOf(begun),
    happened: events.flatMap(timelineOf).map(({ seq, what, text }) => ({ seq, what, text })),
    verdicts: events.flatMap(verdictsIn),
    denied: deniedIn(events),
    rules: distances(end.governor.watch, rulesFor(governor)),
    preset: governor.preset,
    led: { seq: end.seq, to: end.turn.status, by: events.flatMap(statesIn) },
  };
}

function statesIn({ after }: Walked): readonly TurnStatus[] {
  return after.notes.flatMap((note) => (note.type === 'transition' ? [note.to] : []));
}

/** The verdicts that an event brought: those of the governor, and one that somebody else reached. */
export function verdictsIn({ seq, event, after }: Walked): readonly (Verdict & { readonly seq: number })[] {
  const noted = after.notes.flatMap((note) => (note.type === 'verdict' ? [{ ...note.verdict, seq }] : []));
  return event.type === 'verdict-reached' && noted.length === 0 ? [{ ...event.verdict, seq }] : noted;
}

function modeOf({ mode, settings: { chart } }: Session): StepRecord['mode'] {
  return mode === null || chart === null ? null : { state: mode.state, next: nextStates(chart, mode) };
}

function finishIn(turn: Turn): string | null {
  const held = unpaused(turn);
  return held.status === 'callingModel' ? (held.ask.finish?.reason ?? null) : null;
}

/** Kinds of errors that say a call never ran. */
const notRun: ReadonlySet<string> = new Set(['denied', 'invalid', 'skipped', 'cancelled']);

/** A call shows in every event until its results are in: told once, as it shows first. */
function deniedIn(events: readonly Walked[]): readonly Denial[] {
  const denied = new Map<string, Denial>();
  for (const [id, denial] of events.flatMap(denialsIn)) if (!denied.has(id)) denied.set(id, denial);
  return [...denied.values()];
}

/** Calls that an event shows not to be run, by their ids. */
function denialsIn({ seq, before, after }: Walked): readonly (readonly [string, Denial])[] {
  const rule = refusingRule(before, after.session);
  return outcomesIn(before, after.session).flatMap(({ id, tool, outcome }) => {
    if (outcome.ok || !notRun.has(outcome.error.kind)) return [];
    const { kind, message } = outcome.error;
    return [[id, { seq, tool, kind, reason: message, rule: kind === 'denied' ? rule : null }] as const];
  });
}

/** The governor counts how often a refused call is asked for again. */
function refusingRule(before: Session, after: Session): string | null {
  const asked = new Map(before.governor.refused.map((each) => [each.call, each.asked]));
  return after.governor.refused.find((each) => each.asked > (asked.get(each.call) ?? 0))?.rule ?? null;
}

type Ended = { readonly id: string; readonly tool: string; readonly outcome: Outcome };

function outcomesIn(before: Session, after: Session): readonly Ended[] {
  const turn = unpaused(after.turn);
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
  const told = conversationOf(before).length;
  const added = conversationOf(after).length > told ? toArray(conversationOf(after)).slice(told) : [];
  return added.flatMap((message) =>
    message.role === 'tool' ? [{ id: message.callId, tool: message.tool, outcome: message.outcome }] : [],
  );
}
