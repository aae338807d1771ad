import { durationMs } from '../trackers/machine.ts';
import { withRecent } from '../trackers/recent.ts';
import { clip, quoted } from './chart-error.ts';
import { stateNamed, type ModeChart } from './mode-chart.ts';

/** A change of mode. From and to are the same where a wrong move was put right and there was nowhere else to go. */
export type ModeMove = {
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly cause: string;
  /** How long the mode that was left had lasted. */
  readonly durationMs: number;
};

/** Where in its chart the agent is: plain JSON, bounded, and a function of what happened alone. */
export type Mode = {
  readonly chart: string;
  readonly state: string;
  readonly enteredAt: number;
  /** Ticks since the state was entered. */
  readonly steps: number;
  /** Failures in a row since the state was entered: replies nobody could read, calls refused or failed. */
  readonly failures: number;
  /** Ticks altogether. */
  readonly iterations: number;
  /** The latest moves, oldest first. */
  readonly history: readonly ModeMove[];
  /** Why the latest move or call was refused, to guide the model back; null once one was not. */
  readonly refusal: string | null;
};

const historyMax = 50;

export function startMode(chart: ModeChart, at: number): Mode {
  return {
    chart: chart.name,
    state: chart.initial,
    enteredAt: Number.isFinite(at) ? at : 0,
    steps: 0,
    failures: 0,
    iterations: 0,
    history: [],
    refusal: null,
  };
}

/** Work that had come to its end begins anew when a person speaks; other work goes on where it is. */
export function beginAgain(mode: Mode, chart: ModeChart, at: number): Mode {
  return stateNamed(chart, mode.state)?.terminal === true ? startMode(chart, at) : mode;
}

/**
 * A mode to go on with, for a state that was kept somewhere. Where that is missing, not a state of the chart, or the one
 * in which room was being made in memory, the work begins in the safe one, and `warning` says why.
 */
export function resumeMode(
  chart: ModeChart,
  kept: unknown,
  at: number,
): { readonly mode: Mode; readonly warning: string | null } {
  const mode = startMode(chart, at);
  const state = typeof kept === 'string' ? stateNamed(chart, kept) : undefined;
  if (state !== undefined && state.name !== chart.paging?.state)
    return { mode: { ...mode, state: state.name }, warning: null };
  const safe = safeState(chart);
  const problem = typeof kept === 'string' ? `${quoted(kept)} is no state to go on in` : 'no state was kept';
  return { mode: { ...mode, state: safe }, warning: `${problem}; reset to ${safe}` };
}

/** Where to go when it is not clear where one is. */
export function safeState({ initial, onInvalid }: ModeChart): string {
  return typeof onInvalid === 'string' ? initial : onInvalid.resetTo;
}

/** To stay is not to begin anew: the steps and the time go on counting. */
export function movedTo(mode: Mode, move: ModeMove): Mode {
  const history = withRecent(mode.history, move, historyMax);
  if (move.from === move.to) return { ...mode, history };
  return { ...mode, state: move.to, enteredAt: move.at, steps: 0, failures: 0, history };
}

export function moveFrom(
  mode: Mode,
  to: string,
  { cause, at }: { readonly cause: string; readonly at: number },
): ModeMove {
  return { at, from: mode.state, to, cause: clip(cause), durationMs: durationMs(mode, at) };
}
