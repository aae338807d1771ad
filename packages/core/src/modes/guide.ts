import type { Event, ModelReplied, RequestedCall, ToolFinished } from '../event.ts';
import type { Governed } from '../governor/governed.ts';
import type { Verdict } from '../governor/verdict.ts';
import { needsPaging } from '../memory/memory.ts';
import type { Note } from '../note.ts';
import type { Session } from '../session.ts';
import { turnWithVerdict } from '../turn/agenda.ts';
import { isStale } from '../turn/stale.ts';
import type { CallingModel, ExecutingTools, Paging } from '../turn/state.ts';
import type { ModeFact } from './happening.ts';
import { hop } from './hop.ts';
import { beginAgain, type Mode } from './mode.ts';
import { stateNamed, type ModeChart } from './mode-chart.ts';
import type { Hop } from './place.ts';

/** Moves the mode on with an event, before the turn takes it. Calls that the mode does not allow are denied. */
export function guide(session: Session, event: Event, chart: ModeChart): Governed {
  const { mode } = session;
  return mode === null ? { session, event, notes: [] } : guideIn(session, event, { chart, mode });
}

type Guidance = { readonly chart: ModeChart; readonly mode: Mode };

function guideIn(session: Session, event: Event, { chart, mode }: Guidance): Governed {
  const { turn } = session;
  switch (turn.status) {
    case 'waitingForUser':
      if (event.type === 'user-message') return begin(session, event, { chart, mode });
      break;
    case 'callingModel':
      if (event.type === 'model-replied' && !isStale(turn, event)) {
        return replied(session, turn, { event, chart, mode });
      }
      break;
    case 'executingTools':
      if (event.type === 'tool-finished' && !isStale(turn, event)) {
        return finished(session, turn, { event, chart, mode });
      }
      break;
    case 'paging':
      if (isPagingOver(turn, event, { chart, mode })) {
        return hopped(session, event, hop(chart, mode, { type: 'paging-done', at: event.at }));
      }
      break;
    default:
  }
  return { session, event, notes: [] };
}

function isPagingOver(turn: Paging, event: Event, { chart, mode }: Guidance): boolean {
  const isOver = event.type === 'paging-finished' || event.type === 'paging-failed';
  return isOver && !isStale(turn, event) && chart.paging?.state === mode.state;
}

/** The governor found the work stuck: the mode falls to where such work goes, if the chart has such a place. */
export function fallWhenStuck({ session, event, notes }: Governed, chart: ModeChart): Governed {
  const { mode } = session;
  const verdict = notes.findLast(
    (note) => note.type === 'verdict' && note.verdict.response.kind === 'finish',
  );
  if (mode === null || verdict?.type !== 'verdict') return { session, event, notes };
  if ((stateNamed(chart, mode.state)?.stuckState ?? null) === null) return { session, event, notes };
  const fact = { type: 'stuck-found', cause: verdict.verdict.rule } as const;
  const fallen = hopped(session, event, hop(chart, mode, { ...fact, at: event.at }));
  return { ...fallen, notes: [...notes, ...fallen.notes] };
}

function begin(session: Session, event: Event, { chart, mode }: Guidance): Governed {
  const begun = beginAgain(mode, chart, event.at);
  return { session: begun === mode ? session : { ...session, mode: begun }, event, notes: [] };
}

type Met<Type> = Guidance & { readonly event: Type };

function replied(session: Session, turn: CallingModel, { event, chart, mode }: Met<ModelReplied>): Governed {
  const { at } = event;
  if (turn.ask.finish !== null) {
    const cause = turn.ask.finish.ends === 'session' ? 'stuck_detection' : 'finish';
    return hopped(session, event, hop(chart, mode, { type: 'finish-asked', cause, at }));
  }
  const ticked = hop(chart, mode, { type: 'ticked', at });
  const after = hop(chart, ticked.mode, { ...factOf(session, event, chart), at });
  const calls = after.refused.length === 0 ? event.calls : denied(event.calls, after);
  const told = calls === event.calls ? event : { ...event, calls };
  const guided = hopped(session, told, after);
  return ticked.ok ? guided : atTheEnd(guided, turn, ticked.error ?? 'all iterations are used up');
}

/** The chart allows no more rounds: the next model call is the last. */
function atTheEnd({ session, event, notes }: Governed, turn: CallingModel, reason: string): Governed {
  const verdict: Verdict = {
    level: 'stuck',
    rule: 'budget',
    reason,
    advice: 'There is no more time. Answer now with what you have, and say what is left to do.',
    evidence: [session.seq + 1],
    response: { kind: 'finish' },
  };
  const note = { type: 'verdict', at: event.at, verdict } as const;
  const after = { ...session, turn: turnWithVerdict(turn, verdict) };
  return { session: after, event, notes: [...notes, note] };
}

/** Making room comes before any wish of the model, but never in the way of something it is about to do. */
function factOf(session: Session, event: ModelReplied, chart: ModeChart): ModeFact {
  if (event.problem !== undefined) return { type: 'reply-failed', reason: event.problem };
  const isFull = session.memory !== null && needsPaging(session.memory);
  if (chart.paging !== null && isFull && event.calls.length === 0) return { type: 'paging-needed' };
  return {
    type: 'reply-read',
    tools: event.calls.map(({ tool }) => tool),
    nextState: event.nextState ?? null,
    words: event.text.trim() !== '',
  };
}

function denied(calls: readonly RequestedCall[], { refused, error }: Hop): readonly RequestedCall[] {
  const because = `Not run: ${error ?? 'the current phase does not allow it'}.`;
  return calls.map((call) => (refused.includes(call.tool) ? { ...call, permission: 'deny', because } : call));
}

/** The results are in with the last of them. */
function finished(
  session: Session,
  turn: ExecutingTools,
  { event, chart, mode }: Met<ToolFinished>,
): Governed {
  const others = turn.executions.filter(({ call }) => call.id !== event.callId);
  const isKnown = others.length < turn.executions.length;
  if (!isKnown || others.some(({ status }) => status !== 'completed')) return { session, event, notes: [] };
  const outcomes = [
    ...others.flatMap((each) => (each.status === 'completed' ? [each.outcome] : [])),
    event.outcome,
  ];
  const bad = outcomes.find((outcome) => !outcome.ok);
  const reason = bad === undefined || bad.ok ? null : bad.error.message;
  const fact = { type: 'results-in', ok: bad === undefined, reason } as const;
  return hopped(session, event, hop(chart, mode, { ...fact, at: event.at }));
}

function hopped(session: Session, event: Event, { mode, moves }: Hop): Governed {
  const notes: readonly Note[] = moves.map((move) => ({ type: 'mode', ...move }));
  return { session: mode === session.mode ? session : { ...session, mode }, event, notes };
}
