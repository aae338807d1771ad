import type { Step } from '../../src/turn/move.ts';
import type { Move } from './xstate-oracle-context.ts';
import { nameOf, type OracleSnapshot } from './xstate-oracle-machine.ts';
import type { Place, Walked } from './xstate-oracle-walk.ts';

/** What an event led to, as both machines can say it. */
type Account = {
  readonly status: string;
  readonly refused: boolean;
  /** States left and entered, those passed through included. */
  readonly ways: readonly string[];
  readonly actions: readonly string[];
};

/** Where the chart and `step` tell the same event differently, in words; null where they agree. */
export function disagreement({ before, event, after, from, taken }: Walked): string | null {
  const chart = byChart(before, after);
  const made = byStep(taken);
  const isSame = JSON.stringify(chart) === JSON.stringify(made);
  if (isSame && (!made.refused || isUntouched(from, taken))) return null;
  return `${where(before)}, on ${JSON.stringify(event)}\n  chart: ${told(chart)}\n  step:  ${told(made)}`;
}

/** The event was refused: the session is as it was, the refusal is noted, and there is nothing to do but wait. */
export function isUntouched({ session }: Place, taken: Step): boolean {
  const [action, ...others] = taken.actions;
  return taken.session === session && isRefused(taken) && action?.type === 'wait' && others.length === 0;
}

/** The moves the chart made; none when it has no move for the event. */
export function movesOf({ before, after }: Pick<Walked, 'before' | 'after'>): readonly Move[] {
  return after.context.trace === before.context.trace ? [] : after.context.trace;
}

export function pathTo({ events }: Place): string {
  const said: string[] = [];
  for (let at = events; at !== null; at = at.before) said.unshift(at.last.type);
  return said.join(' → ');
}

function byChart(before: OracleSnapshot, after: OracleSnapshot): Account {
  const moves = movesOf({ before, after });
  const isHeld = before.value === 'paused' && after.value === 'paused';
  const isStill = isHeld || (moves.length === 1 && moves[0]?.from === moves[0]?.to);
  const does = moves.flatMap((move) => move.does);
  return {
    status: nameOf(after.value),
    refused: moves.length === 0,
    ways: isStill ? [] : waysOf(moves, nameOf(before.value)),
    actions: toBegin(isHeld ? does.filter(beginsNothing) : does),
  };
}

/** What the state held does is told of the session only when it ends: then the way begins in the pause. */
function waysOf(moves: readonly Move[], from: string): readonly string[] {
  return moves.map((move, index) => `${index === 0 ? from : move.from} → ${move.to}`);
}

function byStep(taken: Step): Account {
  return {
    status: taken.session.turn.status,
    refused: isRefused(taken),
    ways: taken.notes.flatMap((note) => (note.type === 'transition' ? [`${note.from} → ${note.to}`] : [])),
    actions: toBegin(taken.actions.map((action) => action.type)),
  };
}

function told({ status, refused, ways, actions }: Account): string {
  return refused
    ? `refused in ${status}`
    : `${status} by ${ways.join(', ') || 'staying'}, to ${actions.join(', ')}`;
}

function isRefused({ notes }: Step): boolean {
  return notes.some((note) => note.type === 'refused');
}

/** To wait is what is left when there is nothing else to do; beside other actions it may be said or not. */
function toBegin(actions: readonly string[]): readonly string[] {
  const others = actions.filter((action) => action !== 'wait');
  return others.length === 0 ? ['wait'] : others;
}

function beginsNothing(action: string): boolean {
  return action === 'show-text' || action === 'show-error' || action === 'abort' || action === 'store';
}

function where({ value, context }: OracleSnapshot): string {
  return context.held === null ? nameOf(value) : `paused (${context.held.value})`;
}
