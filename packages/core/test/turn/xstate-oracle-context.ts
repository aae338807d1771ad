import type { RequestedCall } from '../../src/event.ts';
import type { Response } from '../../src/governor/verdict.ts';
import type { Settings } from '../../src/settings.ts';
import type { Said } from './xstate-oracle-events.ts';

/*
 * What the oracle remembers between events: the facts that the conditions of the chart speak of, and no more. It is a
 * second account of the rules, and shares no code with the machine.
 */
export type Context = {
  readonly inPhase: boolean;
  /** Recoveries since the last user message or phase. */
  readonly recoveries: number;
  readonly agenda: Agenda;
  /** What ends with the model call at hand; null for an ordinary one. */
  readonly ending: 'turn' | 'session' | null;
  /** Failures in a row of the work at hand, and of the model call that waits behind paging. */
  readonly failures: number;
  readonly modelFailures: number;
  /** A model call waits behind paging. */
  readonly modelWaits: boolean;
  readonly calls: readonly Call[];
  /** A call of this round changed something. */
  readonly changed: boolean;
  /** A tool said so, a reply had no calls, or all hope is lost: the turn ends at the next check. */
  readonly done: boolean;
  /** A phase changes in the midst of work, not while nothing is under way. */
  readonly underWay: boolean;
  readonly trouble: 'model' | 'hooks' | 'paging' | 'stuck' | null;
  readonly held: Held | null;
  /** The moves made since the last event came in; a new list each time, so that no move at all can be told. */
  readonly trace: readonly Move[];
};

type Agenda = {
  readonly changes: number;
  readonly failed: boolean;
  readonly verdict: Response | null;
  readonly finish: 'turn' | 'session' | null;
  /** A person has said something that the model has not heard. */
  readonly said: boolean;
};

export type Call = {
  readonly id: string;
  /** Its tool is one of those that change things. */
  readonly mutates: boolean;
  readonly is: 'undecided' | 'allowed' | 'running' | 'over';
};

export type Held = { readonly value: string; readonly context: Context };

/** A move of the chart: the one numbered `index` of those that leave `from` on this event. */
export type Move = {
  readonly from: string;
  readonly on: string | null;
  readonly index: number;
  readonly to: string;
  readonly does: readonly string[];
};

const nothingAsked: Agenda = { changes: 0, failed: false, verdict: null, finish: null, said: false };

export const blank: Context = {
  inPhase: false,
  recoveries: 0,
  agenda: nothingAsked,
  ending: null,
  failures: 0,
  modelFailures: 0,
  modelWaits: false,
  calls: [],
  changed: false,
  done: false,
  underWay: false,
  trouble: null,
  held: null,
  trace: [],
};

export function isOpen({ changes, verdict, finish, said }: Agenda): boolean {
  return changes > 0 || verdict !== null || finish !== null || said;
}

/** What an event that is taken says, wherever it is taken. */
export function hear(context: Context, event: Said, settings: Settings): Context {
  // The table guarantees that what is under an event's type takes that event.
  const hearing = hearings[event.type] as ((of: Heard<Said>) => Context) | undefined;
  return hearing === undefined ? context : hearing({ context, event, settings });
}

type Heard<One> = { readonly context: Context; readonly event: One; readonly settings: Settings };
type Hearings = {
  readonly [Type in Said['type']]?: (of: Heard<Extract<Said, { type: Type }>>) => Context;
};

const failed = ({ context }: Heard<Said>): Context => ({ ...context, failures: context.failures + 1 });

const hearings: Hearings = {
  'user-message': ({ context }) => ({ ...context, recoveries: 0 }),
  steered: ({ context }) => ({ ...context, agenda: { ...context.agenda, said: true } }),
  'model-replied': ({ context, event, settings }) => ({
    ...context,
    calls: context.ending === null ? replied(context, event.calls, settings) : [],
  }),
  'model-failed': failed,
  'hooks-failed': failed,
  'paging-failed': failed,
  'permission-decided': ({ context, event }) =>
    withCall(context, event.callId, event.decision === 'allow' ? 'allowed' : 'over'),
  'tool-started': ({ context, event }) => withCall(context, event.callId, 'running'),
  'tool-progressed': ({ context, event }) => withCall(context, event.callId, 'running'),
  'tool-finished': ({ context, event }) => ({
    ...withCall(context, event.callId, 'over'),
    done: context.done || isFinal(event),
    changed: context.changed || isChange(context.calls, event),
  }),
  'phase-started': inNextPhase,
  'phase-completed': inNextPhase,
  'verdict-reached': ({ context, event }) => ({
    ...context,
    agenda: judged(context.agenda, event.verdict.response),
  }),
  'finish-requested': ({ context: { agenda, ...context } }) => ({
    ...context,
    agenda: { ...agenda, finish: agenda.finish ?? 'turn' },
  }),
  'recovery-finished': ({ context, event: { outcome }, settings }) =>
    outcome.kind === 'run-tools' ? { ...context, calls: unasked(outcome.calls, settings) } : context,
};

export function isFinal(event: Said): boolean {
  return event.type === 'tool-finished' && event.outcome.ok && event.outcome.final === true;
}

export function isChange(calls: readonly Call[], event: Said): boolean {
  if (event.type !== 'tool-finished' || !event.outcome.ok) return false;
  return calls.some((call) => call.id === event.callId && call.mutates);
}

/** Error tracking starts afresh. A phase can only fail if there is one. */
function inNextPhase({
  context,
  event,
}: Heard<Extract<Said, { type: 'phase-started' | 'phase-completed' }>>): Context {
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
function judged(agenda: Agenda, response: Response): Agenda {
  if (response.kind === 'finish') return { ...agenda, verdict: response, finish: 'session' };
  const order = ['advise', 'run', 'recover', 'ask', 'finish'];
  const isMilder = order.indexOf(response.kind) < order.indexOf(agenda.verdict?.kind ?? 'advise');
  return isMilder ? agenda : { ...agenda, verdict: response };
}

/** Once finishing is asked for, no call of a reply is begun. */
function replied({ agenda }: Context, calls: readonly RequestedCall[], settings: Settings): readonly Call[] {
  return calls.map((call) => {
    const is = call.permission === 'ask' ? 'undecided' : call.permission === 'deny' ? 'over' : 'allowed';
    return toCall(call, agenda.finish === null ? is : 'over', settings);
  });
}

/** A way out of trouble asks nobody. */
export function unasked(calls: readonly RequestedCall[], settings: Settings): readonly Call[] {
  return calls.map((call) => toCall(call, mayRunUnasked(call) ? 'allowed' : 'over', settings));
}

export function mayRunUnasked({ permission = 'allow' }: RequestedCall): boolean {
  return permission === 'allow';
}

function toCall({ id = '', tool }: RequestedCall, is: Call['is'], settings: Settings): Call {
  return { id, is, mutates: settings.mutatingTools.includes(tool) };
}

function withCall(context: Context, id: string, is: Call['is']): Context {
  return { ...context, calls: context.calls.map((call) => (call.id === id ? { ...call, is } : call)) };
}
