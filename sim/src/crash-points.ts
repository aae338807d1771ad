import type { Event, CallExecution, TurnState } from '@pawl/core';
import { getCallMark } from './oracle/session-ledger.ts';
import type { SimWorld } from './sim-world.ts';

/** The points of the fault model at which a process can crash; the exhaustive crash search must hit all of them. */
export const allCrashPoints = {
  F03: 'the question to the model is kept and not asked yet',
  F04: 'the model is asked and has not said a word',
  F05: 'in the middle of a reply',
  F07: 'the reply is there and not kept',
  F08: 'the reply is kept, and its calls have not begun',
  F09: 'the user is being asked',
  F10: 'the start of a call is kept, and it has not started',
  'F10-together': 'a reply and the start of its call are kept together, and nobody was told',
  F11: 'a call runs',
  F13: 'a call has ended, and its result is not in the log',
  'F14-before': 'an edit is on record, and not made',
  'F14-after': 'an edit is made, and its result is not in the log',
  F16: 'an event is kept, and nobody was told',
  F33: 'what was running is being settled',
} as const;

export type CrashPoint = keyof typeof allCrashPoints;

/** Returns the crash points that match the current state of a run with one session. */
export function listCrashPoints(world: SimWorld): readonly CrashPoint[] {
  const book = world.oracle.books.get('s0');
  const driver = world.drivers.get('s0');
  if (book === undefined) return [];
  const pending = [...world.scheduler.pending].map(({ name }) => name);
  const isKeeping = pending.some((name) => name.endsWith('store append'));
  const isUntold = pending.some((name) => name.endsWith('append answer'));
  const { turn } = book.session;
  return [
    ...(isUntold ? (['F16'] as const) : []),
    ...(isUntold && isReplyWithStart(book.together) ? (['F10-together'] as const) : []),
    ...(driver?.recovering === true && book.texts.length > 0 ? (['F33'] as const) : []),
    ...listTurnCrashPoints(turn, { world, isKeeping, isUntold }),
  ];
}

function isReplyWithStart([first, second]: readonly Event['type'][]): boolean {
  return first === 'model-replied' && second === 'tool-started';
}

type CrashContext = { readonly world: SimWorld; readonly isKeeping: boolean; readonly isUntold: boolean };

function listTurnCrashPoints(turn: TurnState, standing: CrashContext): readonly CrashPoint[] {
  const { isKeeping, isUntold } = standing;
  switch (turn.status) {
    case 'callingModel':
      if (isUntold) return ['F03'];
      return isKeeping ? ['F07'] : listModelCrashPoints(standing);
    case 'awaitingPermission':
      return ['F09'];
    case 'executingTools':
      return turn.executions.flatMap((execution) => listCallCrashPoints(execution, standing));
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
  const { starts = 0, effects = 0 } = world.outside.deeds.get(getCallMark(call.args)) ?? {};
  if (call.tool === 'edit') return [effects === 0 ? 'F14-before' : 'F14-after'];
  if (starts === 0) return ['F10'];
  const spool = world.disk.spools.get('s0');
  const hasEnded = [...(spool?.values() ?? [])].some(({ result }) => result !== null);
  return [hasEnded ? 'F13' : 'F11'];
}
