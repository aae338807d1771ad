import { describe, expect, it } from 'vitest';
import { findProfile } from '../../src/profiles/profiles.ts';
import { defaultSettings, type Settings } from '../../src/settings.ts';
import { turnChart } from '../../src/turn/chart.ts';
import { disagreement, isUntouched, movesOf, pathTo } from './xstate-oracle-compare.ts';
import type { Move } from './xstate-oracle-context.ts';
import { guardsFor } from './xstate-oracle-guards.ts';
import { essenceOf } from './xstate-oracle-essence.ts';
import { everyPath, graphFor, isAnswer, lateAnswer } from './xstate-oracle-walk.ts';

/*
 * The chart against `step`, with XState as the judge in between: it reads the exported chart, finds every place the
 * chart leads to, and says what each event does there. Since all ways into a place leave the same session but for its
 * history, what holds for the shortest path through these places holds for every one, however long. Limits are small, so
 * that they are reached. Where a failed phase ends the session there are most moves to make, so there two complications at
 * once are gone on from; with the other settings one, since each further one makes the search take eight times as long.
 */
const small = {
  maxRetries: 2,
  maxRecoveries: 1,
  // The chart is that of the turn alone: what the governor finds depends on the way.
  governor: { preset: 'none', rules: {} },
} as const;
type Run = { readonly settings: Settings; readonly together: number; readonly pathsMin: number };
const runs: Readonly<Record<string, Run>> = {
  default: { settings: { ...defaultSettings, ...small }, together: 1, pathsMin: 10_000 },
  loom: {
    settings: { ...defaultSettings, ...findProfile('loom')?.settings, ...small },
    together: 1,
    pathsMin: 10_000,
  },
  'a failed phase ends the session': {
    settings: { ...defaultSettings, ...small, haltOnFailedPhase: true },
    together: 2,
    pathsMin: 100_000,
  },
};

type Findings = {
  paths: number;
  readonly made: Set<string>;
  /** By what went wrong, the shortest path to it. */
  readonly differences: Map<string, string>;
  readonly partings: Map<string, string>;
  readonly lateAnswersTaken: Map<string, string>;
};
const found = new Map<string, Findings>();

/** All that a run shows; walked once, whichever test asks first. */
function findings(name: string, run: Run): Findings {
  const known = found.get(name) ?? walk(run);
  found.set(name, known);
  return known;
}

function walk({ settings, together }: Run): Findings {
  const result: Findings = {
    paths: 0,
    made: new Set(),
    differences: new Map(),
    partings: new Map(),
    lateAnswersTaken: new Map(),
  };
  for (const walked of everyPath(graphFor(settings, together), settings)) {
    const { from, event, taken, first } = walked;
    const note = (notes: Map<string, string>, what: string): unknown =>
      notes.has(what) || notes.set(what, `after ${pathTo(from)}`);
    result.paths += 1;
    for (const move of movesOf(walked)) result.made.add(nameOf(move));
    const difference = disagreement(walked);
    if (difference !== null) note(result.differences, difference);
    const [here, there] = [essenceOf(taken.session), essenceOf(first)];
    if (here !== there) note(result.partings, `${event.type}: ${here} and not ${there}`);
    if (isAnswer(event) && !isUntouched(from, lateAnswer(walked))) note(result.lateAnswersTaken, event.type);
  }
  return result;
}

function nameOf({ from, on, index }: Pick<Move, 'from' | 'on' | 'index'>): string {
  return `${from}, on ${on ?? 'passing'}, alternative ${index + 1}`;
}

function everyMove(): readonly string[] {
  return turnChart.states.flatMap(({ name: from, moves }) =>
    moves.map((move) => {
      const alternatives = moves.filter((other) => other.on === move.on);
      return nameOf({ from, on: move.on, index: alternatives.indexOf(move) });
    }),
  );
}

describe.each(Object.entries(runs))('with settings: %s', (name, run) => {
  it('XState and the machine take every event alike in every place the chart leads to [NEX-88]', () => {
    expect(findings(name, run).paths).toBeGreaterThan(run.pathsMin);
    expect(Object.fromEntries(findings(name, run).differences)).toEqual({});
  });

  it('every way into a place of the chart leaves the same session but for its history', () => {
    expect(Object.fromEntries(findings(name, run).partings)).toEqual({});
  });

  it('an answer to another request than the one under way changes nothing anywhere', () => {
    expect(Object.fromEntries(findings(name, run).lateAnswersTaken)).toEqual({});
  });
});

describe('the walks', () => {
  it('know what every condition of the chart means, and no other', () => {
    const conditions = turnChart.states.flatMap(({ moves }) => moves.flatMap((move) => move.when ?? []));
    expect(new Set(Object.keys(guardsFor(defaultSettings)))).toEqual(new Set(conditions));
  });

  it('make every move of the chart, each of its alternatives included [LOOM-03]', () => {
    const made = new Set(Object.entries(runs).flatMap(([name, run]) => [...findings(name, run).made]));
    expect(everyMove().filter((move) => !made.has(move))).toEqual([]);
  });
});
