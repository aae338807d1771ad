import type { SessionStep } from '../../src/turn/transition-turn.ts';
import type { OracleMove } from './xstate-oracle-context.ts';
import { getStateName, type OracleSnapshot } from './xstate-oracle-machine.ts';
import type { WalkPosition, OracleStep } from './xstate-oracle-walk.ts';

/** What an event led to, as both machines can say it. */
type StepAccount = {
  readonly status: string;
  readonly refused: boolean;
  /** States left and entered, those passed through included. */
  readonly ways: readonly string[];
  readonly actions: readonly string[];
};

/** Where the chart and `step` tell the same event differently, in words; null where they agree. */
export function findDisagreement({ before, event, after, from, taken }: OracleStep): string | null {
  const chart = describeChartStep(before, after);
  const made = describeMachineStep(taken);
  const isSame = JSON.stringify(chart) === JSON.stringify(made);
  if (isSame && (!made.refused || isSessionUntouched(from, taken))) return null;
  return `${formatOracleState(before)}, on ${JSON.stringify(event)}\n  chart: ${formatStepAccount(chart)}\n  step:  ${formatStepAccount(made)}`;
}

/** The event was refused: the session is as it was, the refusal is noted, and there is nothing to do but wait. */
export function isSessionUntouched({ session }: WalkPosition, taken: SessionStep): boolean {
  const [action, ...others] = taken.actions;
  return taken.session === session && isRefusedStep(taken) && action?.type === 'wait' && others.length === 0;
}

/** The moves the chart made; none when it has no move for the event. */
export function listOracleMoves({
  before,
  after,
}: Pick<OracleStep, 'before' | 'after'>): readonly OracleMove[] {
  return after.context.trace === before.context.trace ? [] : after.context.trace;
}

export function formatOraclePath({ events }: WalkPosition): string {
  const said: string[] = [];
  for (let at = events; at !== null; at = at.before) said.unshift(at.last.type);
  return said.join(' → ');
}

function describeChartStep(before: OracleSnapshot, after: OracleSnapshot): StepAccount {
  const moves = listOracleMoves({ before, after });
  const isHeld = before.value === 'paused' && after.value === 'paused';
  const isStill = isHeld || (moves.length === 1 && moves[0]?.from === moves[0]?.to);
  const does = moves.flatMap((move) => move.does);
  return {
    status: getStateName(after.value),
    refused: moves.length === 0,
    ways: isStill ? [] : formatOracleMoves(moves, getStateName(before.value)),
    actions: listWorkActions(isHeld ? does.filter(isPassiveActionType) : does),
  };
}

/** What the state held does is told of the session only when it ends: then the way begins in the pause. */
function formatOracleMoves(moves: readonly OracleMove[], from: string): readonly string[] {
  return moves.map((move, index) => `${index === 0 ? from : move.from} → ${move.to}`);
}

function describeMachineStep(taken: SessionStep): StepAccount {
  return {
    status: taken.session.turn.status,
    refused: isRefusedStep(taken),
    ways: taken.notes.flatMap((note) => (note.type === 'transition' ? [`${note.from} → ${note.to}`] : [])),
    actions: listWorkActions(taken.actions.map((action) => action.type)),
  };
}

function formatStepAccount({ status, refused, ways, actions }: StepAccount): string {
  return refused
    ? `refused in ${status}`
    : `${status} by ${ways.join(', ') || 'staying'}, to ${actions.join(', ')}`;
}

function isRefusedStep({ notes }: SessionStep): boolean {
  return notes.some((note) => note.type === 'refused');
}

/** To wait is what is left when there is nothing else to do; beside other actions it may be said or not. */
function listWorkActions(actions: readonly string[]): readonly string[] {
  const others = actions.filter((action) => action !== 'wait');
  return others.length === 0 ? ['wait'] : others;
}

function isPassiveActionType(action: string): boolean {
  return action === 'show-text' || action === 'show-error' || action === 'abort' || action === 'store';
}

function formatOracleState({ value, context }: OracleSnapshot): string {
  return context.held === null ? getStateName(value) : `paused (${context.held.value})`;
}
