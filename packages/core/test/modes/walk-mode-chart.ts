import type { ModeEventPayload } from '../../src/modes/mode-event.ts';
import { transitionMode } from '../../src/modes/transition-mode.ts';
import { startMode, type CurrentMode } from '../../src/modes/mode.ts';
import type { ModeChart } from '../../src/modes/mode-chart.ts';
import type { ModeTransition } from '../../src/modes/mode-context.ts';

/** A reply that picks tools and says nothing. */
export function createToolReply(...tools: readonly string[]): ModeEventPayload {
  return { type: 'reply-read', tools, nextState: null, text: false };
}

/** A reply of words alone. */
export const textReply: ModeEventPayload = { type: 'reply-read', tools: [], nextState: null, text: true };

/** A reply that asks for a state, or for none. */
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

/** One fact, at a time of its own or at once. */
export function applyModePayload(
  chart: ModeChart,
  mode: CurrentMode,
  fact: ModeEventPayload,
  at: number = mode.enteredAt,
): ModeTransition {
  return transitionMode(chart, mode, { ...fact, at });
}

/** Where one is after these facts, a millisecond apart, and all the moves on the way. */
export function walkModeChart(
  chart: ModeChart,
  facts: readonly ModeEventPayload[],
  from: CurrentMode = startMode(chart, 0),
) {
  let mode = from;
  const hops: ModeTransition[] = [];
  for (const [index, fact] of facts.entries()) {
    const taken = applyModePayload(chart, mode, fact, from.enteredAt + index + 1);
    hops.push(taken);
    mode = taken.mode;
  }
  return { mode, hops, moves: hops.flatMap(({ changes }) => changes) };
}

/** As if the work had come to this state. */
export function createModeInState(chart: ModeChart, state: string): CurrentMode {
  return { ...startMode(chart, 0), state };
}
