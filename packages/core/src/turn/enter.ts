import type { Action } from '../action.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Call, Message } from '../conversation/message.ts';
import type { Event } from '../event.ts';
import type { Note } from '../note.ts';
import type { Session } from '../session.ts';
import { behaviours, isAtLeast } from '../behaviour.ts';
import { lastAskDue } from '../governor/budget.ts';
import type { Verdict } from '../governor/verdict.ts';
import { endOfSession } from './agenda.ts';
import { heed } from './heed.ts';
import { justWait, move, type Step } from './move.ts';
import { askModel, runTools } from './pending.ts';
import { onlySaid, withoutSaid, withSaid } from './said.ts';
import type { Agenda, Ask, CallingModel, ExecutingTools, Execution, Finish, TurnStatus } from './state.ts';

/** The way to a state: what was passed through and noted so far. */
export type Route = {
  readonly conversation: Conversation<Message>;
  readonly via?: readonly TurnStatus[] | undefined;
  readonly notes?: readonly Note[] | undefined;
};

type Calling = { readonly ask: Ask; readonly retries: number };

/**
 * Asks the model, which hears what a person has said meanwhile. The request is numbered after the event that caused it, so no
 * two are the same.
 */
export function callModel(session: Session, event: Event, route: Route, call: Calling): Step {
  if (call.ask.agenda.said !== undefined) return callModelToHear(session, event, route, call);
  const due = isLastDue(session, call.ask) ? lastAskDue(session, event.at) : null;
  if (due !== null) return callModelAtLast(session, event, route, { call, verdict: due });
  const to: CallingModel = {
    status: 'callingModel',
    since: event.at,
    conversation: route.conversation,
    request: session.seq + 1,
    retries: call.retries,
    streaming: false,
    ask: call.ask,
  };
  return move(session, event, { to, actions: [askModel(to)], via: route.via, notes: route.notes });
}

function isLastDue(session: Session, { finish }: Ask): boolean {
  return (
    session.settings.budgets !== null &&
    finish?.ends !== 'session' &&
    isAtLeast(session, behaviours.budgetHoldsForEveryAsk)
  );
}

/** Where what is left pays for one more answer only, that is what the model is asked for. */
function callModelAtLast(
  session: Session,
  event: Event,
  route: Route,
  { call, verdict }: { readonly call: Calling; readonly verdict: Verdict },
): Step {
  const agenda = { ...call.ask.agenda, verdict };
  const ask = lastAsk(endOfSession(verdict), agenda, deadlineOf(session, event));
  const notes: readonly Note[] = [...(route.notes ?? []), { type: 'verdict', at: event.at, verdict }];
  return callModel(session, event, { ...route, notes }, { ask, retries: call.retries });
}

/** A last question: without tools, and with a time by which it must be answered. */
export function lastAsk(finish: Finish, agenda: Agenda, deadline: number | null): Ask {
  const advice = agenda.verdict?.advice ?? finish.reason;
  return { advice, finish: { ...finish, deadline }, agenda: onlySaid(agenda) };
}

export function deadlineOf({ settings: { finishMs } }: Session, { at }: Event): number | null {
  return finishMs === null ? null : at + finishMs;
}

function callModelToHear(before: Session, event: Event, route: Route, { ask, retries }: Calling): Step {
  const { agenda } = ask;
  const session = heed(before, agenda.said ?? [], event.at);
  const conversation = withSaid(route.conversation, agenda, event.at);
  const heard = { ...ask, agenda: withoutSaid(agenda) };
  return callModel(session, event, { ...route, conversation }, { ask: heard, retries });
}

/** The calls of one reply, on their way. `calls` are those to begin, where the caller has them at hand. */
export type RunningRound = {
  readonly request: number;
  readonly executions: readonly Execution[];
  readonly agenda: Agenda;
  readonly calls?: readonly Call[];
};

/** Runs a round of calls. */
export function runRound(session: Session, event: Event, route: Route, round: RunningRound): Step {
  const { request, executions, agenda, calls } = round;
  const { conversation, via, notes } = route;
  const to: ExecutingTools = {
    status: 'executingTools',
    since: event.at,
    conversation,
    request,
    executions,
    agenda,
  };
  const actions: readonly Action[] =
    calls === undefined ? runTools(to) : [{ type: 'run-tools', request, calls }];
  return move(session, event, { to, actions, via, notes });
}

/** Ends the turn. */
export function waitForUser(session: Session, event: Event, route: Route): Step {
  return move(session, event, {
    to: { status: 'waitingForUser', since: event.at, conversation: route.conversation },
    actions: justWait,
    via: route.via,
    notes: route.notes,
  });
}
