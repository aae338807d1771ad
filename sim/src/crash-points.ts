import type { Event, CallExecution, TurnState } from '@pawl/core';
import { getCallMark } from './oracle/session-ledger.ts';
import type { SimWorld } from './sim-world.ts';

/** The points of the fault model at which a process can crash; the exhaustive crash search must hit all of them. */
export const allCrashPoints = {
  F03: 'the model request is persisted and not sent',
  F04: 'the model request is sent and has no output',
  F05: 'in the middle of a reply',
  F07: 'the reply is complete and not persisted',
  F08: 'the reply is persisted and its calls have not started',
  F09: 'a permission request is open',
  F10: 'the start of a call is persisted and it has not started',
  'F10-together': 'a reply and the start of its call are persisted together and not acknowledged',
  F11: 'a call runs',
  F13: 'a call has ended and its result is not in the log',
  'F14-before': 'an edit is recorded as intent and not applied',
  'F14-after': 'an edit is applied and its result is not in the log',
  F16: 'an event is persisted and not acknowledged',
  F33: 'interrupted calls are being reconciled',
} as const;

export type CrashPoint = keyof typeof allCrashPoints;

/** Returns the crash points that match the current state of a run with one session. */
export function listCrashPoints(world: SimWorld): readonly CrashPoint[] {
  const ledger = world.oracle.ledgers.get('s0');
  const driver = world.drivers.get('s0');
  if (ledger === undefined) return [];
  const pending = [...world.scheduler.pending].map(({ name }) => name);
  const isAppending = pending.some((name) => name.endsWith('store append'));
  const isUnacknowledged = pending.some((name) => name.endsWith('append answer'));
  const { turn } = ledger.session;
  return [
    ...(isUnacknowledged ? (['F16'] as const) : []),
    ...(isUnacknowledged && isReplyWithStart(ledger.lastAppendTypes) ? (['F10-together'] as const) : []),
    ...(driver?.isRecovering === true && ledger.texts.length > 0 ? (['F33'] as const) : []),
    ...listTurnCrashPoints(turn, { world, isAppending, isUnacknowledged }),
  ];
}

function isReplyWithStart([first, second]: readonly Event['type'][]): boolean {
  return first === 'model-replied' && second === 'tool-started';
}

type CrashContext = {
  readonly world: SimWorld;
  readonly isAppending: boolean;
  readonly isUnacknowledged: boolean;
};

function listTurnCrashPoints(turn: TurnState, context: CrashContext): readonly CrashPoint[] {
  const { isAppending, isUnacknowledged } = context;
  switch (turn.status) {
    case 'callingModel':
      if (isUnacknowledged) return ['F03'];
      return isAppending ? ['F07'] : listModelCrashPoints(context);
    case 'awaitingPermission':
      return ['F09'];
    case 'executingTools':
      return turn.executions.flatMap((execution) => listCallCrashPoints(execution, context));
    default:
      return [];
  }
}

function listModelCrashPoints({ world }: CrashContext): readonly CrashPoint[] {
  const waiting = [...world.scheduler.pending].find(({ name }) => name.includes(' model '));
  if (waiting === undefined) return [];
  return waiting.name.endsWith('begins') ? ['F04'] : ['F05'];
}

function listCallCrashPoints(
  { status, call }: CallExecution,
  { world }: CrashContext,
): readonly CrashPoint[] {
  if (status === 'pending') return ['F08'];
  if (status === 'completed') return [];
  const { starts = 0, changes = 0 } = world.externalWorld.effects.get(getCallMark(call.args)) ?? {};
  if (call.tool === 'edit') return [changes === 0 ? 'F14-before' : 'F14-after'];
  if (starts === 0) return ['F10'];
  const spool = world.disk.spools.get('s0');
  const isSpooled = [...(spool?.values() ?? [])].some(({ result }) => result !== null);
  return [isSpooled ? 'F13' : 'F11'];
}
