/** One state change, for later analysis. */
export type TrackerTransition<State extends string = string> = {
  readonly at: number;
  readonly from: State;
  readonly to: State;
  readonly cause: string;
  /** How long the previous state lasted. */
  readonly durationMs: number;
};

/** The machine of a tracker: its state, when it was entered, and the history. */
export type TrackerMachine<State extends string> = {
  readonly state: State;
  readonly enteredAt: number;
  /** Ticks since the state was entered. */
  readonly stateSteps: number;
  /** Total ticks. */
  readonly steps: number;
  /** Total state changes; `history` holds the latest. */
  readonly transitions: number;
  readonly history: readonly TrackerTransition<State>[];
};

const machineHistoryMax = 1_000;

export function createTrackerMachine<State extends string>(state: State, at: number): TrackerMachine<State> {
  return { state, enteredAt: at, stateSteps: 0, steps: 0, transitions: 0, history: [] };
}

export function transitionMachine<State extends string>(
  machine: TrackerMachine<State>,
  { to, at, cause }: { readonly to: State; readonly at: number; readonly cause: string },
): TrackerMachine<State> {
  const entry = { at, from: machine.state, to, cause, durationMs: computeStateDuration(machine, at) };
  const { steps, transitions, history } = machine;
  return {
    state: to,
    enteredAt: at,
    stateSteps: 0,
    steps,
    transitions: transitions + 1,
    history: appendRecent(history, entry, machineHistoryMax),
  };
}

export function tickMachine<State extends string>(machine: TrackerMachine<State>): TrackerMachine<State> {
  return { ...machine, stateSteps: machine.stateSteps + 1, steps: machine.steps + 1 };
}

/** Never negative, even if the clock was set back. */
export function computeStateDuration(
  { enteredAt }: Pick<TrackerMachine<string>, 'enteredAt'>,
  at: number,
): number {
  return Math.max(0, at - enteredAt);
}

/** Returns the successor with this name, or why the machine cannot move there. */
export function findSuccessor<State extends string>(
  from: State,
  to: string,
  { next, isState }: { readonly next: readonly State[]; readonly isState: (name: string) => boolean },
): { readonly ok: true; readonly to: State } | { readonly ok: false; readonly error: string } {
  const successor = next.find((each) => each === to);
  if (successor !== undefined) return { ok: true, to: successor };
  return {
    ok: false,
    error: isState(to)
      ? describeRefusedTransition(from, to, next)
      : `there is no state ${to}; ${from} is followed by ${next.join(', ')}`,
  };
}

/** Explains why a transition is not possible and which ones are. */
export function describeRefusedTransition(from: string, to: string, next: readonly string[]): string {
  const choice = next.length === 0 ? 'nothing follows it' : `it is followed by ${next.join(', ')}`;
  return `${to} cannot follow ${from}: ${choice}`;
}

/** Appends an item and keeps the latest `max` items, newest last. */
export function appendRecent<Item>(items: readonly Item[], item: Item, max: number): readonly Item[] {
  return max <= 0 ? [] : [...items.slice(-(max - 1) || items.length), item];
}
