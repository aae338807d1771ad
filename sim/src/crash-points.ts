import type { Event, Execution, Turn } from '@pawl/core';
import { markOf } from './oracle/book.ts';
import type { World } from './world.ts';

/** The points of the fault model at which a process can end, and which every search for crashes must have hit. */
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

/** Where a run with one session stands. */
export function crashPoints(world: World): readonly CrashPoint[] {
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
    ...pointsIn(turn, { world, isKeeping, isUntold }),
  ];
}

function isReplyWithStart([first, second]: readonly Event['type'][]): boolean {
  return first === 'model-replied' && second === 'tool-started';
}

type Standing = { readonly world: World; readonly isKeeping: boolean; readonly isUntold: boolean };

function pointsIn(turn: Turn, standing: Standing): readonly CrashPoint[] {
  const { isKeeping, isUntold } = standing;
  switch (turn.status) {
    case 'callingModel':
      if (isUntold) return ['F03'];
      return isKeeping ? ['F07'] : asking(standing);
    case 'awaitingPermission':
      return ['F09'];
    case 'executingTools':
      return turn.executions.flatMap((execution) => running(execution, standing));
    default:
      return [];
  }
}

function asking({ world }: Standing): readonly CrashPoint[] {
  const waiting = [...world.scheduler.pending].find(({ name }) => name.includes(' model '));
  if (waiting === undefined) return [];
  return waiting.name.endsWith('begins') ? ['F04'] : ['F05'];
}

function running({ status, call }: Execution, { world }: Standing): readonly CrashPoint[] {
  if (status === 'pending') return ['F08'];
  if (status === 'completed') return [];
  const { starts = 0, effects = 0 } = world.outside.deeds.get(markOf(call.args)) ?? {};
  if (call.tool === 'edit') return [effects === 0 ? 'F14-before' : 'F14-after'];
  if (starts === 0) return ['F10'];
  const spool = world.disk.spools.get('s0');
  const hasEnded = [...(spool?.values() ?? [])].some(({ result }) => result !== null);
  return [hasEnded ? 'F13' : 'F11'];
}
