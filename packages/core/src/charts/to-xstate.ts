import type { Chart, ChartMove, ChartState } from './chart.ts';
import { statesOf } from './states.ts';

/** An XState v5 machine config as plain JSON. Guards and actions are names; `provide` says what they do. */
export type XStateConfig = {
  readonly id: string;
  readonly initial: string;
  readonly states: Readonly<Record<string, XStateState>>;
};

export type XStateState = {
  readonly description: string;
  readonly type?: 'final';
  readonly always?: readonly XStateTransition[];
  readonly on?: Readonly<Record<string, readonly XStateTransition[]>>;
};

export type XStateTransition = {
  readonly target: string;
  readonly guard?: string;
  readonly actions?: readonly string[];
};

/** A name as XState can hold it. */
type Keys = (name: string) => string;

export function toXState(chart: Chart): XStateConfig {
  const states = statesOf(chart);
  const stateKey = keysFor(
    states.map((state) => state.name),
    /^$|^__proto__$|^#/u,
  );
  const eventKey = keysFor(
    states.flatMap((state) => state.moves.flatMap((move) => move.on ?? [])),
    /^$|^__proto__$|^\*$|\.\*$|^xstate\./u,
  );
  return {
    id: chart.name,
    initial: stateKey(chart.initial),
    states: Object.fromEntries(
      states.map((state) => [stateKey(state.name), toState(state, stateKey, eventKey)]),
    ),
  };
}

function toState(state: ChartState, stateKey: Keys, eventKey: Keys): XStateState {
  const { description, kind, moves } = state;
  if (moves.length === 0) return kind === 'terminal' ? { description, type: 'final' } : { description };
  const always: XStateTransition[] = [];
  const on = new Map<string, XStateTransition[]>();
  for (const move of moves) {
    const transition = toTransition(move, stateKey);
    if (move.on === null) always.push(transition);
    else listUnder(on, eventKey(move.on)).push(transition);
  }
  return {
    description,
    ...(always.length === 0 ? {} : { always }),
    ...(on.size === 0 ? {} : { on: Object.fromEntries(on) }),
  };
}

function toTransition({ to, when, does }: ChartMove, stateKey: Keys): XStateTransition {
  return {
    target: escapePath(stateKey(to)),
    ...(when === null ? {} : { guard: when }),
    ...(does.length === 0 ? {} : { actions: does }),
  };
}

/** To XState a target is a path, and a dot in it goes down a level. Escaped, it is one name again. */
function escapePath(name: string): string {
  return name.replaceAll(/[\\.]/gu, '\\$&');
}

/**
 * XState reads some names as something else: no name, an id, any event, an event of its own, an object's prototype. Those
 * are put in brackets, in as many as it takes to be like no other name.
 */
function keysFor(names: readonly string[], special: RegExp): Keys {
  const taken = new Set(names);
  const keys = new Map<string, string>();
  for (const name of names.filter((each) => special.test(each))) {
    let key = `(${name})`;
    while (taken.has(key)) key = `(${key})`;
    keys.set(name, key);
  }
  return (name) => keys.get(name) ?? name;
}

function listUnder<Item>(lists: Map<string, Item[]>, key: string): Item[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
