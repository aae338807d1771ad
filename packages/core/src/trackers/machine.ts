import { withRecent } from './recent.ts';

/** One change of state, for whoever wants to know later how it came about. */
export type TrackerTransition<State extends string = string> = {
  readonly at: number;
  readonly from: State;
  readonly to: State;
  readonly cause: string;
  /** How long the state that was left had lasted. */
  readonly durationMs: number;
};

/** Where a tracker is, since when, and how it got there. */
export type Machine<State extends string> = {
  readonly state: State;
  readonly enteredAt: number;
  /** Ticks since the state was entered. */
  readonly stateSteps: number;
  /** Ticks altogether. */
  readonly steps: number;
  /** Changes of state altogether; `history` holds the latest of them. */
  readonly moves: number;
  readonly history: readonly TrackerTransition<State>[];
};

const historyMax = 1_000;

export function machineIn<State extends string>(state: State, at: number): Machine<State> {
  return { state, enteredAt: at, stateSteps: 0, steps: 0, moves: 0, history: [] };
}

export function moved<State extends string>(
  machine: Machine<State>,
  { to, at, cause }: { readonly to: State; readonly at: number; readonly cause: string },
): Machine<State> {
  const entry = { at, from: machine.state, to, cause, durationMs: durationMs(machine, at) };
  const { steps, moves, history } = machine;
  return {
    state: to,
    enteredAt: at,
    stateSteps: 0,
    steps,
    moves: moves + 1,
    history: withRecent(history, entry, historyMax),
  };
}

export function ticked<State extends string>(machine: Machine<State>): Machine<State> {
  return { ...machine, stateSteps: machine.stateSteps + 1, steps: machine.steps + 1 };
}

/** A clock that was set back makes no state last less than no time. */
export function durationMs({ enteredAt }: Pick<Machine<string>, 'enteredAt'>, at: number): number {
  return Math.max(0, at - enteredAt);
}

/** Why a move is not possible, in words that say what would be. */
export function refusedMove(from: string, to: string, next: readonly string[]): string {
  const choice = next.length === 0 ? 'nothing follows it' : `it is followed by ${next.join(', ')}`;
  return `${to} cannot follow ${from}: ${choice}`;
}
