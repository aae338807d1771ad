import { type Chart, type ChartMove, type ChartState, listChartStates } from './chart.ts';

/** An XState v5 machine config as plain JSON. Guards and actions are names; implement them with `provide`. */
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

/** Converts a name to a valid XState key. */
type KeyResolver = (name: string) => string;

/** Converts a chart to an XState v5 machine config. */
export function toXState(chart: Chart): XStateConfig {
  const states = listChartStates(chart);
  const stateKey = createKeyResolver(
    states.map((state) => state.name),
    /^$|^__proto__$|^#/u,
  );
  const eventKey = createKeyResolver(
    states.flatMap((state) => state.transitions.flatMap((move) => move.on ?? [])),
    /^$|^__proto__$|^\*$|\.\*$|^xstate\./u,
  );
  return {
    id: chart.name,
    initial: stateKey(chart.initial),
    states: Object.fromEntries(
      states.map((state) => [stateKey(state.name), toXStateState(state, stateKey, eventKey)]),
    ),
  };
}

function toXStateState(state: ChartState, stateKey: KeyResolver, eventKey: KeyResolver): XStateState {
  const { description, kind, transitions } = state;
  if (transitions.length === 0) return kind === 'terminal' ? { description, type: 'final' } : { description };
  const always: XStateTransition[] = [];
  const on = new Map<string, XStateTransition[]>();
  for (const move of transitions) {
    const transition = toXStateTransition(move, stateKey);
    if (move.on === null) always.push(transition);
    else getOrCreateList(on, eventKey(move.on)).push(transition);
  }
  return {
    description,
    ...(always.length === 0 ? {} : { always }),
    ...(on.size === 0 ? {} : { on: Object.fromEntries(on) }),
  };
}

function toXStateTransition({ to, guard, actions }: ChartMove, stateKey: KeyResolver): XStateTransition {
  return {
    target: escapeTargetPath(stateKey(to)),
    ...(guard === null ? {} : { guard }),
    ...(actions.length === 0 ? {} : { actions }),
  };
}

/** XState treats a target as a path in which a dot descends a level, so dots are escaped. */
function escapeTargetPath(name: string): string {
  return name.replaceAll(/[\\.]/gu, '\\$&');
}

/**
 * XState gives some names a special meaning: an empty name, an id, a wildcard, an internal event, `__proto__`. Those
 * are put in parentheses, as many as needed to make the name unique.
 */
function createKeyResolver(names: readonly string[], special: RegExp): KeyResolver {
  const usedNames = new Set(names);
  const keys = new Map<string, string>();
  for (const name of names.filter((each) => special.test(each))) {
    let key = `(${name})`;
    while (usedNames.has(key)) key = `(${key})`;
    keys.set(name, key);
  }
  return (name) => keys.get(name) ?? name;
}

function getOrCreateList<Item>(lists: Map<string, Item[]>, key: string): Item[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
