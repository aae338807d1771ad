import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import type { Event, RequestedCall } from '../event.ts';
import type { Verdict } from '../governor/verdict.ts';
import { withAdded } from '../list.ts';
import type { Session } from '../session.ts';
import { emptyAgenda, isEmpty, plainAsk } from './agenda.ts';
import { askedFor, toExecution, withIds, withReply } from './calls.ts';
import { callModel, deadlineOf, lastAsk, runRound, waitForUser, type Route } from './enter.ts';
import { move, type Step } from './move.ts';
import { recoverOrWait } from './pending.ts';
import { failure, withResults } from './results.ts';
import { onlySaid, withSaid } from './said.ts';
import type { AfterTools, Agenda, Ask, HaltReason, ToolRecovery, TurnStatus } from './state.ts';

export type Check = {
  readonly conversation: Conversation<Message>;
  readonly agenda: Agenda;
  readonly next: AfterTools;
  readonly via: readonly TurnStatus[];
  /** Asked for by name, so passed through even where the profile does not check every round. */
  readonly asked?: boolean;
};

/**
 * Is the work moving? Works off the agenda, in this order: phases, then finishing, then what a person said, then the verdict.
 * A turn does not end before the model has heard what was said.
 */
export function checkProgress(session: Session, event: Event, check: Check): Step {
  const { agenda, conversation, next } = check;
  const skipped = !session.settings.progressCheck && check.asked !== true;
  if (skipped && isEmpty(agenda)) return goOn(session, event, check, next);
  let via = withAdded(check.via, 'progressCheck');
  if (agenda.phaseChanges > 0) {
    for (let change = 0; change < agenda.phaseChanges; change += 1) via = withAdded(via, 'phaseTransition');
    const failed = failedPhase(session, agenda);
    if (failed !== null) return haltUnheard(session, event, { conversation, via, agenda }, failed);
    via = withAdded(via, 'progressCheck');
  }
  const route = { conversation, via };
  const { finish, verdict, said } = agenda;
  if (next === 'end-turn' && said === undefined) return goOn(session, event, route, next);
  if (finish !== null) {
    const ask = lastAsk(finish, agenda, deadlineOf(session, event));
    return callModel(session, event, route, { ask, retries: 0 });
  }
  if (said !== undefined) return tellModel(session, event, route, agenda);
  return verdict === null ? goOn(session, event, route, next) : actOn(verdict, session, event, route);
}

/** A person's word is a better way out than any that a verdict asks for: what is left of the verdict is its advice. */
function tellModel(session: Session, event: Event, route: Route, agenda: Agenda): Step {
  const ask = { advice: agenda.verdict?.advice ?? null, finish: null, agenda: onlySaid(agenda) };
  return callModel(session, event, route, { ask, retries: 0 });
}

/** Ends the turn by way of the check, if there is anything to check. */
export function endTurn(session: Session, event: Event, route: Route, agenda: Agenda): Step {
  return isEmpty(agenda)
    ? waitForUser(session, event, route)
    : checkProgress(session, event, {
        conversation: route.conversation,
        agenda,
        next: 'end-turn',
        via: route.via ?? [],
      });
}

/** Ends what a model call was for: the turn, or with a last call perhaps the session. */
export function endAsk(session: Session, event: Event, route: Route, ask: Ask): Step {
  const { finish, agenda } = ask;
  if (finish?.ends !== 'session') return endTurn(session, event, route, agenda);
  const kind = finish.rule === 'budget' ? 'budget' : 'stuck';
  return haltUnheard(
    session,
    event,
    { ...route, agenda },
    { kind, reason: finish.reason, rule: finish.rule },
  );
}

/** Ends the session. The model will not hear any more what was said, but it is not lost. */
function haltUnheard(
  session: Session,
  event: Event,
  route: Route & { readonly agenda: Agenda },
  why: HaltReason,
): Step {
  const conversation = withSaid(route.conversation, route.agenda, event.at);
  return haltOnRoute(session, event, { ...route, conversation }, why);
}

/** Why a failed phase ends the session, where the profile says that it does. */
export function failedPhase(session: Session, agenda: Agenda): HaltReason | null {
  if (agenda.failedPhase === null || !session.settings.haltOnFailedPhase) return null;
  return { kind: 'phase-failed', reason: `Phase ${agenda.failedPhase} failed`, rule: null };
}

export function haltOnRoute(session: Session, event: Event, route: Route, why: HaltReason): Step {
  return move(session, event, {
    to: { status: 'halted', since: event.at, conversation: route.conversation, why },
    actions: [{ type: 'stop', why }],
    via: route.via,
    notes: route.notes,
  });
}

function goOn(session: Session, event: Event, route: Route, next: AfterTools): Step {
  return next === 'end-turn'
    ? waitForUser(session, event, route)
    : callModel(session, event, route, { ask: plainAsk, retries: 0 });
}

function actOn(verdict: Verdict, session: Session, event: Event, route: Route): Step {
  switch (verdict.response.kind) {
    case 'advise':
    case 'refuse':
    case 'finish':
    case 'halt': {
      // The last three are acted on elsewhere; what is left of them here is their advice.
      const ask = { advice: verdict.advice, finish: null, agenda: emptyAgenda };
      return callModel(session, event, route, { ask, retries: 0 });
    }
    case 'run':
      return runInstead(session, event, route, verdict.response.calls);
    case 'ask':
      return askPerson(verdict, session, event, route);
    case 'recover':
      return recover(verdict, session, event, route);
  }
}

/** Ends the turn with a question. What the user says to it starts the next. */
function askPerson({ reason }: Verdict, session: Session, event: Event, route: Route): Step {
  const step = waitForUser(session, event, route);
  const text = `I may be going round in circles: ${reason}. How shall I go on?`;
  return { ...step, actions: [{ type: 'show-text', text }, ...step.actions] };
}

function recover(verdict: Verdict, session: Session, event: Event, route: Route): Step {
  const attempt = session.governor.recoveries + 1;
  if (attempt > session.settings.maxRecoveries) {
    return haltOnRoute(session, event, route, { kind: 'stuck', reason: verdict.reason, rule: verdict.rule });
  }
  const to: ToolRecovery = {
    status: 'errorRecovery',
    since: event.at,
    conversation: route.conversation,
    origin: 'tool',
    request: session.seq + 1,
    attempt,
    verdict,
    agenda: emptyAgenda,
  };
  return move({ ...session, governor: { ...session.governor, recoveries: attempt } }, event, {
    to,
    actions: [recoverOrWait(to)],
    via: route.via,
    notes: route.notes,
  });
}

/**
 * Runs calls the model did not ask for. They stand in the conversation as an assistant's calls, so that every result has
 * its call. A way out of trouble asks nobody: what would need permission is denied.
 */
export function runInstead(
  session: Session,
  event: Event,
  route: Route & { readonly agenda?: Agenda },
  requested: readonly RequestedCall[],
): Step {
  const { agenda = emptyAgenda, via, notes } = route;
  const request = session.seq + 1;
  const calls = withIds(requested, request, 'recovery');
  const executions = askedFor(calls, requested).map((each) =>
    toExecution(
      each.decision === 'pending' ? { decision: 'denied', call: each.call, outcome: unasked } : each,
    ),
  );
  const conversation = withReply(route.conversation, { text: '', calls, at: event.at });
  if (executions.every((each) => each.status === 'completed')) {
    const closed = { ...route, conversation: withResults(conversation, executions, event.at) };
    return callModel(session, event, closed, { ask: { ...plainAsk, agenda }, retries: 0 });
  }
  return runRound(session, event, { conversation, via, notes }, { request, executions, agenda });
}

const unasked = failure('denied', 'This call needs permission, and recovery does not ask for any.');
