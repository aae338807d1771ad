import type { RequestedCall } from '../../src/session/event.ts';
import type { VerdictResponse } from '@pawl/governor';
import type { SessionSettings } from '../../src/session/settings.ts';
import type { OracleEvent } from './xstate-oracle-events.ts';

/*
 * What the oracle remembers between events: the facts that the conditions of the chart speak of, and no more. It is a
 * second account of the rules, and shares no code with the machine.
 */
export type TurnOracleContext = {
  readonly inPhase: boolean;
  /** Recoveries since the last user message or phase. */
  readonly recoveries: number;
  readonly agenda: OracleAgenda;
  /** What ends with the model call at hand; null for an ordinary one. */
  readonly ending: 'turn' | 'session' | null;
  /** Failures in a row of the work at hand, and of the model call that waits behind paging. */
  readonly failures: number;
  readonly modelFailures: number;
  /** A model call waits behind paging. */
  readonly modelWaits: boolean;
  readonly calls: readonly OracleCall[];
  /** A call of this round changed something. */
  readonly changed: boolean;
  /** A tool said so, a reply had no calls, or all hope is lost: the turn ends at the next check. */
  readonly done: boolean;
  /** A phase changes in the midst of work, not while nothing is under way. */
  readonly underWay: boolean;
  readonly failureKind: 'model' | 'hooks' | 'paging' | 'stuck' | null;
  /** A person or the caller halted the session. */
  readonly haltRequested: boolean;
  readonly held: HeldOracleState | null;
  /** The moves made since the last event came in; a new list each time, so that no move at all can be told. */
  readonly trace: readonly OracleMove[];
};

type OracleAgenda = {
  readonly changes: number;
  readonly failed: boolean;
  readonly verdict: VerdictResponse | null;
  readonly finish: 'turn' | 'session' | null;
  /** A person has said something that the model has not heard. */
  readonly hasSteering: boolean;
};

export type OracleCall = {
  readonly id: string;
  /** Its tool is one of those that change things. */
  readonly mutates: boolean;
  readonly is: 'undecided' | 'allowed' | 'running' | 'over';
};

export type HeldOracleState = { readonly value: string; readonly context: TurnOracleContext };

/** A move of the chart: the one numbered `index` of those that leave `from` on this event. */
export type OracleMove = {
  readonly from: string;
  readonly on: string | null;
  readonly index: number;
  readonly to: string;
  readonly does: readonly string[];
};

const emptyOracleAgenda: OracleAgenda = {
  changes: 0,
  failed: false,
  verdict: null,
  finish: null,
  hasSteering: false,
};

export const emptyOracleContext: TurnOracleContext = {
  inPhase: false,
  recoveries: 0,
  agenda: emptyOracleAgenda,
  ending: null,
  failures: 0,
  modelFailures: 0,
  modelWaits: false,
  calls: [],
  changed: false,
  done: false,
  underWay: false,
  failureKind: null,
  haltRequested: false,
  held: null,
  trace: [],
};

export function isAgendaOpen({ changes, verdict, finish, hasSteering }: OracleAgenda): boolean {
  return changes > 0 || verdict !== null || finish !== null || hasSteering;
}

/** What an event that is taken says, wherever it is taken. */
export function applyOracleEvent(
  context: TurnOracleContext,
  event: OracleEvent,
  settings: SessionSettings,
): TurnOracleContext {
  // The table guarantees that what is under an event's type takes that event.
  const reducer = oracleReducers[event.type] as
    | ((of: OracleInput<OracleEvent>) => TurnOracleContext)
    | undefined;
  return reducer === undefined ? context : reducer({ context, event, settings });
}

type OracleInput<One> = {
  readonly context: TurnOracleContext;
  readonly event: One;
  readonly settings: SessionSettings;
};
type OracleReducers = {
  readonly [Type in OracleEvent['type']]?: (
    of: OracleInput<Extract<OracleEvent, { type: Type }>>,
  ) => TurnOracleContext;
};

const countOracleFailure = ({ context }: OracleInput<OracleEvent>): TurnOracleContext => ({
  ...context,
  failures: context.failures + 1,
});

const oracleReducers: OracleReducers = {
  'user-message': ({ context }) => ({ ...context, recoveries: 0 }),
  'halt-requested': ({ context }) => ({ ...context, haltRequested: true }),
  steered: ({ context }) => ({ ...context, agenda: { ...context.agenda, hasSteering: true } }),
  'model-replied': ({ context, event, settings }) => ({
    ...context,
    calls: context.ending === null ? toReplyCalls(context, event.calls, settings) : [],
  }),
  'model-failed': countOracleFailure,
  'hooks-failed': countOracleFailure,
  'paging-failed': countOracleFailure,
  'permission-decided': ({ context, event }) =>
    setOracleCall(context, event.callId, event.decision === 'allow' ? 'allowed' : 'over'),
  'tool-started': ({ context, event }) => setOracleCall(context, event.callId, 'running'),
  'tool-progressed': ({ context, event }) => setOracleCall(context, event.callId, 'running'),
  'tool-finished': ({ context, event }) => ({
    ...setOracleCall(context, event.callId, 'over'),
    done: context.done || isFinalResult(event),
    changed: context.changed || isMutatingResult(context.calls, event),
  }),
  'phase-started': applyPhaseEvent,
  'phase-completed': applyPhaseEvent,
  'verdict-reached': ({ context, event }) => ({
    ...context,
    agenda: applyOracleVerdict(context.agenda, event.verdict.response),
  }),
  'finish-requested': ({ context: { agenda, ...context } }) => ({
    ...context,
    agenda: { ...agenda, finish: agenda.finish ?? 'turn' },
  }),
  'recovery-finished': ({ context, event: { outcome }, settings }) =>
    outcome.kind === 'run-tools' ? { ...context, calls: toRecoveryCalls(outcome.calls, settings) } : context,
};

export function isFinalResult(event: OracleEvent): boolean {
  return event.type === 'tool-finished' && event.outcome.ok && event.outcome.final === true;
}

export function isMutatingResult(calls: readonly OracleCall[], event: OracleEvent): boolean {
  if (event.type !== 'tool-finished' || !event.outcome.ok) return false;
  return calls.some((call) => call.id === event.callId && call.mutates);
}

/** Resets error tracking. A phase can only fail if one is active. */
function applyPhaseEvent({
  context,
  event,
}: OracleInput<Extract<OracleEvent, { type: 'phase-started' | 'phase-completed' }>>): TurnOracleContext {
  const { agenda, inPhase } = context;
  const hasFailed = event.type === 'phase-completed' && !event.success && inPhase;
  return {
    ...context,
    recoveries: 0,
    inPhase: event.type === 'phase-started',
    agenda: { ...agenda, changes: agenda.changes + 1, failed: agenda.failed || hasFailed },
  };
}

/** A verdict to finish ends the session once the last call is answered. The graver verdict stays. */
function applyOracleVerdict(agenda: OracleAgenda, response: VerdictResponse): OracleAgenda {
  if (response.kind === 'stop') return { ...agenda, verdict: response, finish: 'session' };
  const order = ['advise', 'run', 'recover', 'ask', 'finish'];
  const isMilder = order.indexOf(response.kind) < order.indexOf(agenda.verdict?.kind ?? 'advise');
  return isMilder ? agenda : { ...agenda, verdict: response };
}

/** Once finishing is asked for, no call of a reply is begun. */
function toReplyCalls(
  { agenda }: TurnOracleContext,
  calls: readonly RequestedCall[],
  settings: SessionSettings,
): readonly OracleCall[] {
  return calls.map((call) => {
    const is = call.permission === 'ask' ? 'undecided' : call.permission === 'deny' ? 'over' : 'allowed';
    return toOracleCall(call, agenda.finish === null ? is : 'over', settings);
  });
}

/** A recovery does not ask for permission. */
export function toRecoveryCalls(
  calls: readonly RequestedCall[],
  settings: SessionSettings,
): readonly OracleCall[] {
  return calls.map((call) => toOracleCall(call, canRunUnasked(call) ? 'allowed' : 'over', settings));
}

export function canRunUnasked({ permission = 'allow' }: RequestedCall): boolean {
  return permission === 'allow';
}

function toOracleCall(
  { id = '', tool }: RequestedCall,
  is: OracleCall['is'],
  settings: SessionSettings,
): OracleCall {
  return { id, is, mutates: settings.mutatingTools.includes(tool) };
}

function setOracleCall(context: TurnOracleContext, id: string, is: OracleCall['is']): TurnOracleContext {
  return { ...context, calls: context.calls.map((call) => (call.id === id ? { ...call, is } : call)) };
}
