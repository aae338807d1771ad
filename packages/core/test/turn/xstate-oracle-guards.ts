import type { SessionSettings } from '../../src/session/settings.ts';
import {
  type OracleCall,
  type TurnOracleContext,
  isMutatingResult,
  isFinalResult,
  isAgendaOpen,
  canRunUnasked,
} from './xstate-oracle-context.ts';
import type { OracleEvent } from './xstate-oracle-events.ts';

type OracleGuard = (facts: { readonly context: TurnOracleContext; readonly event: OracleEvent }) => boolean;

/** What each condition of the turn chart means. An event's own condition is asked before the event has been heard. */
export function createGuards(settings: SessionSettings): Readonly<Record<string, OracleGuard>> {
  return {
    ...createModelGuards(settings),
    ...createToolGuards(settings),
    ...createCheckGuards(settings),
    ...recoveryGuards,
    ...pauseGuards,
  };
}

function createModelGuards(settings: SessionSettings): Record<string, OracleGuard> {
  const triesAreLeft: OracleGuard = ({ context }) => context.failures + 1 < settings.maxRetries;
  return {
    'context overflow, retries are left': ({ context, event }) =>
      event.type === 'model-failed' &&
      event.error.kind === 'context-overflow' &&
      settings.pageOnOverflow &&
      triesAreLeft({ context, event }),
    'retries are left': ({ context, event }) =>
      triesAreLeft({ context, event }) && (event.type !== 'model-failed' || isWorthRetrying(event, settings)),
    'halt was not requested': ({ context }) => !context.haltRequested,
    'last call ends the session': ({ context }) => context.ending === 'session',
    'agenda is not empty': ({ context }) => isAgendaOpen(context.agenda),
    'reply ends the turn, agenda is not empty': ({ context }) =>
      isOracleTurnEnding(context) && isAgendaOpen(context.agenda),
    'reply ends the turn': ({ context }) => isOracleTurnEnding(context),
    'a model call is waiting': ({ context }) => context.modelWaits,
  };
}

/** A provider that asks for a longer wait than allowed is given up on. */
function isWorthRetrying(
  { error }: Extract<OracleEvent, { type: 'model-failed' }>,
  settings: SessionSettings,
): boolean {
  return error.retryable !== false && (error.retryAfterMs ?? 0) <= settings.retryAfterMaxMs;
}

function isOracleTurnEnding({ ending, calls }: TurnOracleContext): boolean {
  return ending !== null || calls.length === 0;
}

function createToolGuards(settings: SessionSettings): Record<string, OracleGuard> {
  return {
    'a call needs permission': ({ context }) => context.calls.some(isUndecided),
    'other calls are undecided': ({ context, event }) => listOtherCalls(context, event).some(isUndecided),
    'a call may run': ({ context, event }) =>
      context.calls.some((call) => call.is === 'allowed') ||
      (event.type === 'permission-decided' &&
        event.decision === 'allow' &&
        context.calls.some((call) => call.id === event.callId && isUndecided(call))),
    'other calls are open': ({ context, event }) =>
      listOtherCalls(context, event).some((call) => call.is === 'allowed' || call.is === 'running'),
    'something changed': ({ context, event }) => context.changed || isMutatingResult(context.calls, event),
    'progress is checked': ({ context }) => settings.progressCheck || isAgendaOpen(context.agenda),
    'turn is done': ({ context, event }) => context.done || isFinalResult(event),
  };
}

function isUndecided(call: OracleCall): boolean {
  return call.is === 'undecided';
}

function listOtherCalls({ calls }: TurnOracleContext, event: OracleEvent): readonly OracleCall[] {
  return calls.filter((call) => !('callId' in event) || call.id !== event.callId);
}

function createCheckGuards(settings: SessionSettings): Record<string, OracleGuard> {
  return {
    'every round is checked': () => settings.progressCheck,
    'work is canceled': ({ event }) => event.type === 'cancel-requested',
    'a phase changed': hasPhaseChanged,
    'another phase changed': hasPhaseChanged,
    'failed phase ends the session': ({ context: { agenda, held } }) =>
      settings.haltOnFailedPhase && (held?.context.agenda ?? agenda).failed,
    'work is in progress': ({ context }) => context.underWay,
    'has a message': ({ event }) => event.type === 'phase-started' && event.message !== undefined,
    'has no message': ({ event }) => event.type === 'phase-started' && event.message === undefined,
    'an entry is sent to storage': ({ event }) =>
      event.type === 'memory-command-requested' && event.action === 'evict',
    'an entry is pinned or unpinned': ({ event }) => event.type === 'memory-command-requested',
    'steering is pending': ({ context }) => context.agenda.hasSteering,
    'finish is requested': ({ context }) => context.agenda.finish !== null,
    'verdict is halt': ({ event }) =>
      event.type === 'verdict-reached' && event.verdict.response.kind === 'halt',
    'verdict runs calls': ({ context: { agenda } }) =>
      agenda.verdict?.kind === 'run' && agenda.verdict.calls.some(canRunUnasked),
    'verdict asks a person': ({ context }) => context.agenda.verdict?.kind === 'ask',
    'verdict requests recovery, attempts are left': ({ context }) =>
      isRecoveryRequested(context) && context.recoveries < settings.maxRecoveries,
    'verdict requests recovery': ({ context }) => isRecoveryRequested(context),
  };
}

const hasPhaseChanged: OracleGuard = ({ context }) => context.agenda.changes > 0;

function isRecoveryRequested({ agenda }: TurnOracleContext): boolean {
  return agenda.verdict?.kind === 'recover';
}

const recoveryGuards: Record<string, OracleGuard> = {
  'model failed': ({ context }) => context.failureKind === 'model',
  'hooks failed': ({ context }) => context.failureKind === 'hooks',
  'paging failed': ({ context }) => context.failureKind === 'paging',
  'recovery halts': createRecoveryGuard('halt'),
  'recovery checks progress': createRecoveryGuard('check'),
  'recovery gave up': createRecoveryGuard('give-up'),
  'recovery gave up, agenda is not empty': ({ context, event }) =>
    createRecoveryGuard('give-up')({ context, event }) && isAgendaOpen(context.agenda),
  'recovery runs calls': ({ context, event }) =>
    createRecoveryGuard('run-tools')({ context, event }) && isRunningRecoveryCalls(event),
  // With no call among them that may run unasked, what is left is to ask the model.
  'recovery calls the model': ({ context, event }) =>
    createRecoveryGuard('ask-model')({ context, event }) ||
    (createRecoveryGuard('run-tools')({ context, event }) && !isRunningRecoveryCalls(event)),
};

function createRecoveryGuard(kind: string): OracleGuard {
  return ({ context, event }) =>
    context.failureKind === 'stuck' && event.type === 'recovery-finished' && event.outcome.kind === kind;
}

function isRunningRecoveryCalls(event: OracleEvent): boolean {
  return (
    event.type === 'recovery-finished' &&
    event.outcome.kind === 'run-tools' &&
    event.outcome.calls.some(canRunUnasked)
  );
}

const pauseGuards: Record<string, OracleGuard> = {
  'was waitingForUser': createHeldStateGuard('waitingForUser'),
  'was callingModel': createHeldStateGuard('callingModel'),
  'was awaitingPermission': createHeldStateGuard('awaitingPermission'),
  'was executingTools, calls are pending': ({ context: { held } }) =>
    held?.value === 'executingTools' && held.context.calls.some((call) => call.is === 'allowed'),
  'was executingTools': createHeldStateGuard('executingTools'),
  'was postToolsHook': createHeldStateGuard('postToolsHook'),
  'was errorRecovery, recovery was requested': ({ context: { held } }) =>
    held?.value === 'errorRecovery' && held.context.failureKind === 'stuck',
  'was errorRecovery': createHeldStateGuard('errorRecovery'),
  'was paging': createHeldStateGuard('paging'),
};

function createHeldStateGuard(state: string): OracleGuard {
  return ({ context }) => context.held?.value === state;
}
