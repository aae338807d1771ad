import { assign, createMachine, getNextSnapshot, type StateValue } from 'xstate';
import type { Chart } from '../../src/charts/chart.ts';
import { toXState, type XStateState, type XStateTransition } from '../../src/charts/to-xstate.ts';
import type { SessionSettings } from '../../src/session/settings.ts';
import { enterOracleState } from './xstate-oracle-state-entry.ts';
import {
  emptyOracleContext,
  applyOracleEvent,
  type TurnOracleContext,
  type HeldOracleState,
  type OracleMove,
} from './xstate-oracle-context.ts';
import type { OracleEvent } from './xstate-oracle-events.ts';
import { createGuards } from './xstate-oracle-guards.ts';

/*
 * The chart as an XState machine. Its states, events, conditions and actions are those `toXState` exports; the oracle
 * adds what a chart does not say: what the conditions mean, and what is remembered from one event to the next.
 */
export type OracleMachine = ReturnType<typeof buildOracleMachine>;
export type OracleSnapshot = ReturnType<OracleMachine['resolveState']>;

export function createOracle(chart: Chart, settings: SessionSettings): OracleMachine {
  const inner = buildOracleMachine(chart, settings, () => null);
  return buildOracleMachine(chart, settings, (held, event) => {
    // A session cannot be paused twice.
    if (event.type === 'pause-requested') return null;
    const after = getNextSnapshot(inner, inner.resolveState(held), event);
    const { trace } = after.context;
    if (trace === held.context.trace) return null;
    return {
      held: {
        value: getStateName(after.value),
        context: { ...after.context, trace: emptyOracleContext.trace },
      },
      trace,
    };
  });
}

/** The chart has no states within states, so that a state's value is its name. */
export function getStateName(value: StateValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What becomes of the state held when an event comes in while paused, by which moves; null if it does not take it. */
type HeldStateStep = (
  held: HeldOracleState,
  event: OracleEvent,
) => { readonly held: HeldOracleState; readonly trace: readonly OracleMove[] } | null;

function buildOracleMachine(chart: Chart, settings: SessionSettings, take: HeldStateStep) {
  const { id, initial, states } = toXState(chart);
  const result = (context: TurnOracleContext, event: OracleEvent) =>
    context.held === null ? null : take(context.held, event);
  return createMachine({
    types: {} as { context: TurnOracleContext; events: OracleEvent },
    id,
    initial,
    context: emptyOracleContext,
    states: Object.fromEntries(
      Object.entries(states).map(([name, state]) => [name, createStateConfig(name, state)]),
    ),
  }).provide({
    guards: {
      ...createGuards(settings),
      'state held takes it': ({ context, event }) => result(context, event) !== null,
      'state held ends': ({ context, event }) => result(context, event)?.held.value === 'halted',
    },
    actions: {
      move: assign(({ context, event }, params) => {
        // `stateConfig` below is what gives it its parameters.
        const move = params as OracleMove;
        const nextContext = move.on === null ? context : applyOracleEvent(context, event, settings);
        const trace = move.on === null ? [...context.trace, move] : [move];
        return { ...enterOracleState({ ...move, context: nextContext, event, settings }), trace };
      }),
      hold: assign(({ context, event }) => {
        const next = result(context, event);
        if (next === null) return context;
        const { held, trace } = next;
        return held.value === 'halted' ? { ...held.context, trace } : { ...emptyOracleContext, trace, held };
      }),
    },
  });
}

/** A state as exported; each move also says which one it is. While paused, the state held takes what is not listed. */
function createStateConfig(name: string, { always = [], on = {} }: XStateState) {
  const moves = (event: string | null, transitions: readonly XStateTransition[]) =>
    transitions.map((transition, index) => {
      const { actions = [], target } = transition;
      const move: OracleMove = { from: name, on: event, index, to: target, does: actions };
      return { ...transition, actions: [{ type: 'move', params: move }, ...actions] };
    });
  const listed = Object.entries(on).map(
    ([event, transitions]) => [event, moves(event, transitions)] as const,
  );
  return {
    always: moves(null, always),
    on: Object.fromEntries([...listed, ...(name === 'paused' ? [['*', pausedTransitions] as const] : [])]),
  };
}

const pausedTransitions = [
  { guard: 'state held ends', target: 'halted', actions: ['hold'] },
  { guard: 'state held takes it', actions: ['hold'] },
];
