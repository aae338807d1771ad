import type { ModeFact } from '../../src/modes/happening.ts';
import { hop } from '../../src/modes/hop.ts';
import { startMode, type Mode } from '../../src/modes/mode.ts';
import type { ModeChart } from '../../src/modes/mode-chart.ts';
import type { Hop } from '../../src/modes/place.ts';

/** A reply that picks tools and says nothing. */
export function picks(...tools: readonly string[]): ModeFact {
  return { type: 'reply-read', tools, nextState: null, words: false };
}

/** A reply of words alone. */
export const says: ModeFact = { type: 'reply-read', tools: [], nextState: null, words: true };

/** A reply that asks for a state, or for none. */
export function asksFor(nextState: string | null): ModeFact {
  return { type: 'reply-read', tools: [], nextState, words: false };
}

export function results(ok: boolean): ModeFact {
  return { type: 'results-in', ok, reason: null };
}

export const ticked: ModeFact = { type: 'ticked' };

export function moveTo(to: string): ModeFact {
  return { type: 'move-asked', to, cause: 'test' };
}

/** One fact, at a time of its own or at once. */
export function take(chart: ModeChart, mode: Mode, fact: ModeFact, at: number = mode.enteredAt): Hop {
  return hop(chart, mode, { ...fact, at });
}

/** Where one is after these facts, a millisecond apart, and all the moves on the way. */
export function walk(chart: ModeChart, facts: readonly ModeFact[], from: Mode = startMode(chart, 0)) {
  let mode = from;
  const hops: Hop[] = [];
  for (const [index, fact] of facts.entries()) {
    const taken = take(chart, mode, fact, from.enteredAt + index + 1);
    hops.push(taken);
    mode = taken.mode;
  }
  return { mode, hops, moves: hops.flatMap(({ moves }) => moves) };
}

/** As if the work had come to this state. */
export function modeIn(chart: ModeChart, state: string): Mode {
  return { ...startMode(chart, 0), state };
}
