import type { SessionStep } from '../../src/session/session-step.ts';
import type { OracleMove } from './xstate-oracle-context.ts';
import { getStateName, type OracleSnapshot } from './xstate-oracle-machine.ts';
import type { WalkPosition, OracleStep } from './xstate-oracle-walk.ts';

/** What an event led to, as both machines can say it. */
type StepAccount = {
  readonly status: string;
  readonly refused: boolean;
  /** States left and entered, those passed through included. */
  readonly path: readonly string[];
  readonly actions: readonly string[];
};

/** Where the chart and `step` tell the same event differently, in words; null where they agree. */
export function findDisagreement({ before, event, after, from, result }: OracleStep): string | null {
  const chart = describeChartStep(before, after);
  const created = describeMachineStep(result);
  const isSame = JSON.stringify(chart) === JSON.stringify(created);
  if (isSame && (!created.refused || isSessionUntouched(from, result))) return null;
  return `${formatOracleState(before)}, on ${JSON.stringify(event)}\n  chart: ${formatStepAccount(chart)}\n  step:  ${formatStepAccount(created)}`;
}

/** The event was refused: the session is as it was, the refusal is noted, and there is nothing to do but wait. */
export function isSessionUntouched({ session }: WalkPosition, result: SessionStep): boolean {
  const [action, ...others] = result.actions;
  return (
    result.session === session && isRefusedStep(result) && action?.type === 'wait' && others.length === 0
  );
}

/** The moves the chart made; none when it has no move for the event. */
export function listOracleMoves({
  before,
  after,
}: Pick<OracleStep, 'before' | 'after'>): readonly OracleMove[] {
  return after.context.trace === before.context.trace ? [] : after.context.trace;
}

export function formatOraclePath({ events }: WalkPosition): string {
  const parts: string[] = [];
  for (let at = events; at !== null; at = at.before) parts.unshift(at.last.type);
  return parts.join(' → ');
}

function describeChartStep(before: OracleSnapshot, after: OracleSnapshot): StepAccount {
  const moves = listOracleMoves({ before, after });
  const isHeld = before.value === 'paused' && after.value === 'paused';
  const isStill = isHeld || (moves.length === 1 && moves[0]?.from === moves[0]?.to);
  const does = moves.flatMap((move) => move.does);
  return {
    status: getStateName(after.value),
    refused: moves.length === 0,
    path: isStill ? [] : formatOracleMoves(moves, getStateName(before.value)),
    actions: listWorkActions(isHeld ? does.filter(isPassiveActionType) : does),
  };
}

/** What the state held does is told of the session only when it ends: then the way begins in the pause. */
function formatOracleMoves(moves: readonly OracleMove[], from: string): readonly string[] {
  return moves.map((move, index) => `${index === 0 ? from : move.from} → ${move.to}`);
}

function describeMachineStep(result: SessionStep): StepAccount {
  return {
    status: result.session.turn.status,
    refused: isRefusedStep(result),
    path: result.notes.flatMap((note) => (note.type === 'transition' ? [`${note.from} → ${note.to}`] : [])),
    actions: listWorkActions(result.actions.map((action) => action.type)),
  };
}

function formatStepAccount({ status, refused, path, actions }: StepAccount): string {
  return refused
    ? `refused in ${status}`
    : `${status} by ${path.join(', ') || 'staying'}, to ${actions.join(', ')}`;
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
