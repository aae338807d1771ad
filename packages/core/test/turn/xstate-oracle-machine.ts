import { assign, createMachine, getNextSnapshot, type StateValue } from 'xstate';
import type { Chart } from '../../src/charts/chart.ts';
import { toXState, type XStateState, type XStateTransition } from '../../src/charts/to-xstate.ts';
import type { Settings } from '../../src/settings.ts';
import { arrive } from './xstate-oracle-arrive.ts';
import { blank, hear, type Context, type Held, type Move } from './xstate-oracle-context.ts';
import type { Said } from './xstate-oracle-events.ts';
import { guardsFor } from './xstate-oracle-guards.ts';

/*
 * The chart as an XState machine. Its states, events, conditions and actions are those `toXState` exports; the oracle
 * adds what a chart does not say: what the conditions mean, and what is remembered from one event to the next.
 */
export type OracleMachine = ReturnType<typeof build>;
export type OracleSnapshot = ReturnType<OracleMachine['resolveState']>;

export function oracleFor(chart: Chart, settings: Settings): OracleMachine {
  const inner = build(chart, settings, () => null);
  return build(chart, settings, (held, event) => {
    // A session cannot be paused twice.
    if (event.type === 'pause-requested') return null;
    const after = getNextSnapshot(inner, inner.resolveState(held), event);
    const { trace } = after.context;
    if (trace === held.context.trace) return null;
    return { held: { value: nameOf(after.value), context: { ...after.context, trace: blank.trace } }, trace };
  });
}

/** The chart has no states within states, so that a state's value is its name. */
export function nameOf(value: StateValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What becomes of the state held when an event comes in while paused, by which moves; null if it does not take it. */
type Take = (held: Held, event: Said) => { readonly held: Held; readonly trace: readonly Move[] } | null;

function build(chart: Chart, settings: Settings, take: Take) {
  const { id, initial, states } = toXState(chart);
  const taken = (context: Context, event: Said) => (context.held === null ? null : take(context.held, event));
  return createMachine({
    types: {} as { context: Context; events: Said },
    id,
    initial,
    context: blank,
    states: Object.fromEntries(
      Object.entries(states).map(([name, state]) => [name, stateConfig(name, state)]),
    ),
  }).provide({
    guards: {
      ...guardsFor(settings),
      'state held takes it': ({ context, event }) => taken(context, event) !== null,
      'state held ends': ({ context, event }) => taken(context, event)?.held.value === 'halted',
    },
    actions: {
      move: assign(({ context, event }, params) => {
        // `stateConfig` below is what gives it its parameters.
        const move = params as Move;
        const heard = move.on === null ? context : hear(context, event, settings);
        const trace = move.on === null ? [...context.trace, move] : [move];
        return { ...arrive({ ...move, context: heard, event, settings }), trace };
      }),
      hold: assign(({ context, event }) => {
        const next = taken(context, event);
        if (next === null) return context;
        const { held, trace } = next;
        return { ...blank, trace, held: held.value === 'halted' ? null : held };
      }),
    },
  });
}

/** A state as exported; each move also says which one it is. While paused, the state held takes what is not listed. */
function stateConfig(name: string, { always = [], on = {} }: XStateState) {
  const moves = (event: string | null, transitions: readonly XStateTransition[]) =>
    transitions.map((transition, index) => {
      const { actions = [], target } = transition;
      const move: Move = { from: name, on: event, index, to: target, does: actions };
      return { ...transition, actions: [{ type: 'move', params: move }, ...actions] };
    });
  const listed = Object.entries(on).map(
    ([event, transitions]) => [event, moves(event, transitions)] as const,
  );
  return {
    always: moves(null, always),
    on: Object.fromEntries([...listed, ...(name === 'paused' ? [['*', whilePaused] as const] : [])]),
  };
}

const whilePaused = [
  { guard: 'state held ends', target: 'halted', actions: ['hold'] },
  { guard: 'state held takes it', actions: ['hold'] },
];
