import { clip } from './chart-error.ts';
import { moveFrom, movedTo, type Mode, type ModeMove } from './mode.ts';
import type { ModeChart, ModeState } from './mode-chart.ts';

/** Where something happens, and when. */
export type Place = {
  readonly chart: ModeChart;
  readonly mode: Mode;
  readonly here: ModeState;
  readonly at: number;
};

/** What became of something that happened. */
export type Hop = {
  readonly mode: Mode;
  readonly ok: boolean;
  /** Why it did not go as it should; null if it did. */
  readonly error: string | null;
  readonly moves: readonly ModeMove[];
  /** Of the tools picked, those that may not be used. */
  readonly refused: readonly string[];
};

const fine = { ok: true, error: null, moves: [], refused: [] } as const;

/** Whether room is being made in memory. */
export function isPaging({ chart, here }: Place): boolean {
  return chart.paging?.state === here.name;
}

/** All went well, and the mode is the same. */
export function stayed(mode: Mode): Hop {
  return { ...fine, mode };
}

/** All went well, and the agent has gone through these states, of which the last is why it went. */
export function gone({ mode: before, at }: Place, states: readonly string[], cause: string): Hop {
  let mode: Mode = before.refusal === null ? before : { ...before, refusal: null };
  const moves: ModeMove[] = [];
  for (const [index, to] of states.entries()) {
    if (to === mode.state) continue;
    const move = moveFrom(mode, to, { cause: index === states.length - 1 ? cause : 'decision', at });
    mode = movedTo(mode, move);
    moves.push(move);
  }
  return { ...fine, mode, moves };
}

/** It means nothing here, and nobody is to blame: nothing changes. */
export function unfit({ mode }: Place, error: string, refused: readonly string[] = []): Hop {
  return { mode, ok: false, error, moves: [], refused };
}

/** What the chart does not have, met in the way that the chart says. */
export function invalid(place: Place, error: string, refused: readonly string[] = []): Hop {
  const { onInvalid } = place.chart;
  if (onInvalid === 'ignore') return unfit(place, error, refused);
  if (onInvalid === 'refuse') return failed(place, error, refused);
  return fallen(place, { to: onInvalid.resetTo, cause: 'invalid', error, refused });
}

/** A failure that leaves the mode as it is. */
export function failed({ mode }: Place, error: string, refused: readonly string[] = []): Hop {
  const after = { ...mode, failures: mode.failures + 1, refusal: clip(error, refusalMax) };
  return { mode: after, ok: false, error, moves: [], refused };
}

/** A failure that leads to another mode, or that goes on record as a move from a mode to itself. */
export function fallen(
  { mode, at }: Pick<Place, 'mode' | 'at'>,
  fall: {
    readonly to: string;
    readonly cause: string;
    readonly error: string;
    readonly refused?: readonly string[];
  },
): Hop {
  const { to, cause, error, refused = [] } = fall;
  const move = moveFrom(mode, to, { cause, at });
  const after = movedTo({ ...mode, failures: mode.failures + 1 }, move);
  return {
    mode: { ...after, refusal: clip(error, refusalMax) },
    ok: false,
    error,
    moves: [move],
    refused,
  };
}

/** Enough for a sentence with all the names that matter. */
const refusalMax = 1_000;
