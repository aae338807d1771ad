import { clipText } from './chart-error.ts';
import { createModeChange, applyModeChange, type CurrentMode, type ModeChange } from './mode.ts';
import type { ModeChart, ModeState } from './mode-chart.ts';

/** The chart, mode, state and time in which a mode event is handled. */
export type ModeContext = {
  readonly chart: ModeChart;
  readonly mode: CurrentMode;
  readonly state: ModeState;
  readonly at: number;
};

/** The result of a mode event. */
export type ModeTransition = {
  readonly mode: CurrentMode;
  readonly ok: boolean;
  /** Why the event was rejected or failed; null on success. */
  readonly error: string | null;
  readonly changes: readonly ModeChange[];
  /** The requested tools that may not be used. */
  readonly refused: readonly string[];
};

const acceptedTransition = { ok: true, error: null, changes: [], refused: [] } as const;

/** Whether the current mode is the paging mode. */
export function isPagingMode({ chart, state }: ModeContext): boolean {
  return chart.paging?.state === state.name;
}

/** Accepts the event and keeps the mode. */
export function stayInMode(mode: CurrentMode): ModeTransition {
  return { ...acceptedTransition, mode };
}

/** Accepts the event and passes through these states; the cause applies to the last one. */
export function transitionToStates(
  { mode: before, at }: ModeContext,
  states: readonly string[],
  cause: string,
): ModeTransition {
  let mode: CurrentMode = before.refusal === null ? before : { ...before, refusal: null };
  const changes: ModeChange[] = [];
  for (const [index, to] of states.entries()) {
    if (to === mode.state) continue;
    const change = createModeChange(mode, to, {
      cause: index === states.length - 1 ? cause : 'decision',
      at,
    });
    mode = applyModeChange(mode, change);
    changes.push(change);
  }
  return { ...acceptedTransition, mode, changes };
}

/** Rejects an event that does not apply in this mode; nothing changes, and no failure is counted. */
export function rejectModeEvent(
  { mode }: ModeContext,
  error: string,
  refused: readonly string[] = [],
): ModeTransition {
  return { mode, ok: false, error, changes: [], refused };
}

/** Handles an invalid transition as the chart's `onInvalid` policy says. */
export function handleInvalidTransition(
  context: ModeContext,
  error: string,
  refused: readonly string[] = [],
): ModeTransition {
  const { onInvalid } = context.chart;
  if (onInvalid === 'ignore') return rejectModeEvent(context, error, refused);
  if (onInvalid === 'refuse') return recordModeFailure(context, error, refused);
  return resetToState(context, { to: onInvalid.resetTo, cause: 'invalid', error, refused });
}

/** Counts a failure and keeps the mode. */
export function recordModeFailure(
  { mode }: ModeContext,
  error: string,
  refused: readonly string[] = [],
): ModeTransition {
  const after = { ...mode, failures: mode.failures + 1, refusal: clipText(error, modeErrorMax) };
  return { mode: after, ok: false, error, changes: [], refused };
}

/** Counts a failure and moves to another mode, or records a transition from the mode to itself. */
export function resetToState(
  { mode, at }: Pick<ModeContext, 'mode' | 'at'>,
  reset: {
    readonly to: string;
    readonly cause: string;
    readonly error: string;
    readonly refused?: readonly string[];
  },
): ModeTransition {
  const { to, cause, error, refused = [] } = reset;
  const change = createModeChange(mode, to, { cause, at });
  const after = applyModeChange({ ...mode, failures: mode.failures + 1 }, change);
  return {
    mode: { ...after, refusal: clipText(error, modeErrorMax) },
    ok: false,
    error,
    changes: [change],
    refused,
  };
}

/** Enough for a sentence that lists all relevant names. */
const modeErrorMax = 1_000;
