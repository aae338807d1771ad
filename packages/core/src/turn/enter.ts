import type { Action } from '../action.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Call, Message } from '../conversation/message.ts';
import type { Event } from '../event.ts';
import type { Note } from '../note.ts';
import type { Session } from '../session.ts';
import { heed } from './heed.ts';
import { justWait, move, type Step } from './move.ts';
import { askModel, runTools } from './pending.ts';
import { withoutSaid, withSaid } from './said.ts';
import type { Agenda, Ask, CallingModel, ExecutingTools, Execution, TurnStatus } from './state.ts';

/** The way to a state: what was passed through and noted so far. */
export type Route = {
  readonly conversation: Conversation<Message>;
  readonly via?: readonly TurnStatus[] | undefined;
  readonly notes?: readonly Note[] | undefined;
};

/**
 * Asks the model, which hears what a person has said meanwhile. The request is numbered after the event that caused it, so no
 * two are the same.
 */
export function callModel(
  session: Session,
  event: Event,
  route: Route,
  call: { readonly ask: Ask; readonly retries: number },
): Step {
  if (call.ask.agenda.said !== undefined) return callModelToHear(session, event, route, call);
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

function callModelToHear(
  before: Session,
  event: Event,
  route: Route,
  { ask, retries }: { readonly ask: Ask; readonly retries: number },
): Step {
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
