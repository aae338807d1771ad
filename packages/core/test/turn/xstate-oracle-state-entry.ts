import type { SessionSettings } from '../../src/session/settings.ts';
import {
  emptyOracleContext,
  toRecoveryCalls,
  type TurnOracleContext,
  type OracleMove,
} from './xstate-oracle-context.ts';
import type { OracleEvent } from './xstate-oracle-events.ts';

type StateArrival = OracleMove & {
  readonly context: TurnOracleContext;
  readonly event: OracleEvent;
  readonly settings: SessionSettings;
};

/** What is remembered on coming into a state from another; whatever the state has no use for is forgotten. */
export function enterOracleState(arrival: StateArrival): TurnOracleContext {
  const { from, to, context, event } = arrival;
  if (event.type === 'resume-requested' && context.held !== null) return context.held.context;
  if (from === to && to !== 'phaseTransition') return context;
  return stateEntryReducers[to]?.(arrival) ?? emptyOracleContext;
}

const stateEntryReducers: Readonly<Record<string, (arrival: StateArrival) => TurnOracleContext>> = {
  waitingForUser: ({ context }) => resetContext(context.held?.context ?? context),
  callingModel: enterCallingModel,
  processingResponse: ({ context }) => context,
  awaitingPermission: ({ context }) => ({
    ...resetContext(context),
    agenda: context.agenda,
    calls: context.calls,
  }),
  executingTools: ({ from, context, settings }) => {
    const { agenda, calls } = context;
    if (from !== 'progressCheck') return { ...resetContext(context), agenda, calls };
    const instead = agenda.verdict?.kind === 'run' ? agenda.verdict.calls : [];
    return { ...resetContext(context), calls: toRecoveryCalls(instead, settings) };
  },
  postToolsHook: ({ from, context }) =>
    from === 'errorRecovery'
      ? { ...context, failureKind: null }
      : { ...resetContext(context), agenda: context.agenda, done: context.done },
  progressCheck: (arrival) => {
    const { agenda, done } = arrival.context;
    return { ...resetContext(arrival.context), agenda, done: done || isTurnEndingHere(arrival) };
  },
  phaseTransition: ({ from, context }) => {
    const { agenda } = context;
    const underWay = context.underWay || from === 'progressCheck';
    return { ...context, underWay, agenda: { ...agenda, changes: agenda.changes - 1 } };
  },
  errorRecovery: ({ from, context }) =>
    from === 'progressCheck'
      ? { ...resetContext(context), recoveries: context.recoveries + 1, failureKind: 'stuck' }
      : { ...context, failureKind: getTroubleKind(from) },
  paging: ({ from, context }) => {
    const { agenda, ending, failures } = context;
    if (from === 'errorRecovery') return { ...context, failureKind: null };
    return from === 'callingModel'
      ? { ...resetContext(context), agenda, ending, modelFailures: failures, modelWaits: true }
      : resetContext(context);
  },
  halted: ({ context }) => ({
    ...resetContext(context.held?.context ?? context),
    haltRequested: context.haltRequested,
  }),
  paused: ({ from, context }) => ({
    ...emptyOracleContext,
    held: { value: from, context: { ...context, trace: emptyOracleContext.trace } },
  }),
};

function resetContext({ inPhase, recoveries }: TurnOracleContext): TurnOracleContext {
  return { ...emptyOracleContext, inPhase, recoveries };
}

/** The model receives the message, and a message of a person resets the recovery count. */
function enterCallingModel(arrival: StateArrival): TurnOracleContext {
  const asked = restartModelCall(arrival);
  const { hasSteering } = arrival.context.agenda;
  return hasSteering ? { ...asked, recoveries: 0, agenda: { ...asked.agenda, hasSteering: false } } : asked;
}

/** The same call again after a failure or for lack of room; or a new one, the agenda worked off if it was checked. */
function restartModelCall({ from, context }: StateArrival): TurnOracleContext {
  const { agenda, ending, failures, modelFailures, failureKind } = context;
  if (from === 'paging') return { ...resetContext(context), agenda, ending, failures: modelFailures };
  if (from === 'errorRecovery') {
    return failureKind === 'model'
      ? { ...resetContext(context), agenda, ending, failures }
      : { ...resetContext(context), agenda };
  }
  return { ...resetContext(context), ending: from === 'progressCheck' ? agenda.finish : null };
}

/** Coming to a check from here, the turn is over whatever the agenda says. */
function isTurnEndingHere({ from, context, event }: StateArrival): boolean {
  if (from === 'processingResponse') return context.ending !== null || context.calls.length === 0;
  if (from === 'errorRecovery') return event.type === 'recovery-finished' && event.outcome.kind === 'give-up';
  return from === 'callingModel' || from === 'paging';
}

function getTroubleKind(state: string): TurnOracleContext['failureKind'] {
  if (state === 'callingModel') return 'model';
  return state === 'paging' ? 'paging' : 'hooks';
}
