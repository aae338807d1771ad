import type { Settings } from '../../src/settings.ts';
import {
  type Call,
  type Context,
  isChange,
  isFinal,
  isOpen,
  mayRunUnasked,
} from './xstate-oracle-context.ts';
import type { Said } from './xstate-oracle-events.ts';

type Guard = (facts: { readonly context: Context; readonly event: Said }) => boolean;

/** What each condition of the turn chart means. An event's own condition is asked before the event has been heard. */
export function guardsFor(settings: Settings): Readonly<Record<string, Guard>> {
  return {
    ...modelGuards(settings),
    ...toolGuards(settings),
    ...checkGuards(settings),
    ...recoveryGuards,
    ...pauseGuards,
  };
}

function modelGuards(settings: Settings): Record<string, Guard> {
  const triesAreLeft: Guard = ({ context }) => context.failures + 1 < settings.maxRetries;
  return {
    'no room, and tries are left': ({ context, event }) =>
      event.type === 'model-failed' &&
      event.error.kind === 'context-overflow' &&
      settings.pageOnOverflow &&
      triesAreLeft({ context, event }),
    'tries are left': ({ context, event }) =>
      triesAreLeft({ context, event }) && (event.type !== 'model-failed' || isWorthRetrying(event, settings)),
    'last call ends the session': ({ context }) => context.ending === 'session',
    'agenda is open': ({ context }) => isOpen(context.agenda),
    'reply ends the turn, agenda is open': ({ context }) => endsTurn(context) && isOpen(context.agenda),
    'reply ends the turn': ({ context }) => endsTurn(context),
    'model was asked': ({ context }) => context.modelWaits,
  };
}

/** A provider that asks for a longer wait than allowed is given up on. */
function isWorthRetrying({ error }: Extract<Said, { type: 'model-failed' }>, settings: Settings): boolean {
  return error.retryable !== false && (error.retryAfterMs ?? 0) <= settings.retryAfterMaxMs;
}

function endsTurn({ ending, calls }: Context): boolean {
  return ending !== null || calls.length === 0;
}

function toolGuards(settings: Settings): Record<string, Guard> {
  return {
    'a call needs permission': ({ context }) => context.calls.some(isUndecided),
    'others are undecided': ({ context, event }) => others(context, event).some(isUndecided),
    'a call may run': ({ context, event }) =>
      context.calls.some((call) => call.is === 'allowed') ||
      (event.type === 'permission-decided' &&
        event.decision === 'allow' &&
        context.calls.some((call) => call.id === event.callId && isUndecided(call))),
    'others are open': ({ context, event }) =>
      others(context, event).some((call) => call.is === 'allowed' || call.is === 'running'),
    'something changed': ({ context, event }) => context.changed || isChange(context.calls, event),
    'progress is checked': ({ context }) => settings.progressCheck || isOpen(context.agenda),
    'turn is done': ({ context, event }) => context.done || isFinal(event),
  };
}

function isUndecided(call: Call): boolean {
  return call.is === 'undecided';
}

function others({ calls }: Context, event: Said): readonly Call[] {
  return calls.filter((call) => !('callId' in event) || call.id !== event.callId);
}

function checkGuards(settings: Settings): Record<string, Guard> {
  return {
    'every round is checked': () => settings.progressCheck,
    'work is called off': ({ event }) => event.type === 'cancel-requested',
    'a phase changed': phaseChanged,
    'another phase changed': phaseChanged,
    'failed phase ends the session': ({ context: { agenda, held } }) =>
      settings.haltOnFailedPhase && (held?.context.agenda ?? agenda).failed,
    'work is under way': ({ context }) => context.underWay,
    'brings a message': ({ event }) => event.type === 'phase-started' && event.message !== undefined,
    'brings no message': ({ event }) => event.type === 'phase-started' && event.message === undefined,
    'an entry is sent to storage': ({ event }) => event.type === 'memory-asked' && event.action === 'evict',
    'an entry is pinned or unpinned': ({ event }) => event.type === 'memory-asked',
    'something was said': ({ context }) => context.agenda.said,
    'finish is asked for': ({ context }) => context.agenda.finish !== null,
    'verdict is halt': ({ event }) =>
      event.type === 'verdict-reached' && event.verdict.response.kind === 'halt',
    'verdict runs calls': ({ context: { agenda } }) =>
      agenda.verdict?.kind === 'run' && agenda.verdict.calls.some(mayRunUnasked),
    'verdict asks a person': ({ context }) => context.agenda.verdict?.kind === 'ask',
    'verdict asks for recovery, tries are left': ({ context }) =>
      asksForRecovery(context) && context.recoveries < settings.maxRecoveries,
    'verdict asks for recovery': ({ context }) => asksForRecovery(context),
  };
}

const phaseChanged: Guard = ({ context }) => context.agenda.changes > 0;

function asksForRecovery({ agenda }: Context): boolean {
  return agenda.verdict?.kind === 'recover';
}

const recoveryGuards: Record<string, Guard> = {
  'model failed': ({ context }) => context.trouble === 'model',
  'hooks failed': ({ context }) => context.trouble === 'hooks',
  'paging failed': ({ context }) => context.trouble === 'paging',
  'way out is to halt': wayOut('halt'),
  'way out is to check': wayOut('check'),
  'there is no way out': wayOut('give-up'),
  'there is no way out, agenda is open': ({ context, event }) =>
    wayOut('give-up')({ context, event }) && isOpen(context.agenda),
  'way out is to run calls': ({ context, event }) =>
    wayOut('run-tools')({ context, event }) && runsCalls(event),
  // With no call among them that may run unasked, what is left is to ask the model.
  'way out is to ask': ({ context, event }) =>
    wayOut('ask-model')({ context, event }) || (wayOut('run-tools')({ context, event }) && !runsCalls(event)),
};

function wayOut(kind: string): Guard {
  return ({ context, event }) =>
    context.trouble === 'stuck' && event.type === 'recovery-finished' && event.outcome.kind === kind;
}

function runsCalls(event: Said): boolean {
  return (
    event.type === 'recovery-finished' &&
    event.outcome.kind === 'run-tools' &&
    event.outcome.calls.some(mayRunUnasked)
  );
}

const pauseGuards: Record<string, Guard> = {
  'was waitingForUser': was('waitingForUser'),
  'was callingModel': was('callingModel'),
  'was awaitingPermission': was('awaitingPermission'),
  'was executingTools, calls are to start': ({ context: { held } }) =>
    held?.value === 'executingTools' && held.context.calls.some((call) => call.is === 'allowed'),
  'was executingTools': was('executingTools'),
  'was postToolsHook': was('postToolsHook'),
  'was errorRecovery, a way out is sought': ({ context: { held } }) =>
    held?.value === 'errorRecovery' && held.context.trouble === 'stuck',
  'was errorRecovery': was('errorRecovery'),
  'was paging': was('paging'),
};

function was(state: string): Guard {
  return ({ context }) => context.held?.value === state;
}
