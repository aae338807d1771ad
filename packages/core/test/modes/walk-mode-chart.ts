import {
  type ModeEventPayload,
  transitionMode,
  type ModeTransition,
} from '../../src/modes/transition-mode.ts';
import { startMode, type CurrentMode } from '../../src/modes/mode.ts';
import type { ModeChart } from '../../src/modes/mode-chart.ts';

/** A reply with tool calls and no text. */
export function createToolReply(...tools: readonly string[]): ModeEventPayload {
  return { type: 'reply-read', tools, nextState: null, text: false };
}

/** A reply with text only. */
export const textReply: ModeEventPayload = { type: 'reply-read', tools: [], nextState: null, text: true };

/** A reply that requests a state, or none. */
export function createStateRequest(nextState: string | null): ModeEventPayload {
  return { type: 'reply-read', tools: [], nextState, text: false };
}

export function createToolResults(ok: boolean): ModeEventPayload {
  return { type: 'results-in', ok, reason: null };
}

export const tickPayload: ModeEventPayload = { type: 'ticked' };

export function createMoveRequest(to: string): ModeEventPayload {
  return { type: 'move-asked', to, cause: 'test' };
}

/** Applies one payload, at the given time or immediately. */
export function applyModePayload(
  chart: ModeChart,
  mode: CurrentMode,
  payload: ModeEventPayload,
  at: number = mode.enteredAt,
): ModeTransition {
  return transitionMode(chart, mode, { ...payload, at });
}

/** Where one is after these facts, a millisecond apart, and all the moves on the way. */
export function walkModeChart(
  chart: ModeChart,
  payloads: readonly ModeEventPayload[],
  from: CurrentMode = startMode(chart, 0),
) {
  let mode = from;
  const transitions: ModeTransition[] = [];
  for (const [index, payload] of payloads.entries()) {
    const transition = applyModePayload(chart, mode, payload, from.enteredAt + index + 1);
    transitions.push(transition);
    mode = transition.mode;
  }
  return { mode, transitions: transitions, moves: transitions.flatMap(({ changes }) => changes) };
}

/** Creates a mode in this state. */
export function createModeInState(chart: ModeChart, state: string): CurrentMode {
  return { ...startMode(chart, 0), state };
}
