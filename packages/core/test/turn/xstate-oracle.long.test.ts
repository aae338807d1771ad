import { describe, expect, it } from 'vitest';
import { findProfile } from '../../src/profiles/profiles.ts';
import { defaultSettings, type SessionSettings } from '../../src/session/settings.ts';
import { turnChart } from '../../src/turn/states/turn-chart.ts';
import {
  findDisagreement,
  isSessionUntouched,
  listOracleMoves,
  formatOraclePath,
} from './xstate-oracle-compare.ts';
import type { OracleMove } from './xstate-oracle-context.ts';
import { createGuards } from './xstate-oracle-guards.ts';
import { serializeEssence } from './xstate-oracle-essence.ts';
import { iterateOraclePaths, buildOracleGraph, isAnswerType, stepLateAnswer } from './xstate-oracle-walk.ts';

/*
 * The chart against `step`, with XState as the judge in between: it reads the exported chart, finds every place the
 * chart leads to, and says what each event does there. Since all ways into a place leave the same session but for its
 * history, what holds for the shortest path through these places holds for every one, however long. Limits are small, so
 * that they are reached. Where a failed phase ends the session there are most moves to make, so there two complications at
 * once are gone on from; with the other settings one, since each further one makes the search take eight times as long.
 */
const smallSettings = {
  maxRetries: 2,
  maxRecoveries: 1,
  // The chart is that of the turn alone: what the governor finds depends on the way.
  governor: { preset: 'none', rules: {} },
} as const;
type OracleRun = { readonly settings: SessionSettings; readonly together: number; readonly pathsMin: number };
const oracleRuns: Readonly<Record<string, OracleRun>> = {
  default: { settings: { ...defaultSettings, ...smallSettings }, together: 1, pathsMin: 10_000 },
  loom: {
    settings: { ...defaultSettings, ...findProfile('loom')?.settings, ...smallSettings },
    together: 1,
    pathsMin: 10_000,
  },
  'a failed phase ends the session': {
    settings: { ...defaultSettings, ...smallSettings, haltOnFailedPhase: true },
    together: 2,
    pathsMin: 100_000,
  },
};

type OracleFindings = {
  paths: number;
  readonly made: Set<string>;
  /** By what went wrong, the shortest path to it. */
  readonly differences: Map<string, string>;
  readonly stateDifferences: Map<string, string>;
  readonly lateAnswersTaken: Map<string, string>;
};
const findingsByRun = new Map<string, OracleFindings>();

/** All that a run shows; walked once, whichever test asks first. */
function getOracleFindings(name: string, run: OracleRun): OracleFindings {
  const known = findingsByRun.get(name) ?? walkOracle(run);
  findingsByRun.set(name, known);
  return known;
}

function walkOracle({ settings, together }: OracleRun): OracleFindings {
  const result: OracleFindings = {
    paths: 0,
    made: new Set(),
    differences: new Map(),
    stateDifferences: new Map(),
    lateAnswersTaken: new Map(),
  };
  for (const path of iterateOraclePaths(buildOracleGraph(settings, together), settings)) {
    const { from, event, result: stepResult, first } = path;
    const note = (notes: Map<string, string>, what: string): unknown =>
      notes.has(what) || notes.set(what, `after ${formatOraclePath(from)}`);
    result.paths += 1;
    for (const move of listOracleMoves(path)) result.made.add(formatMoveName(move));
    const difference = findDisagreement(path);
    if (difference !== null) note(result.differences, difference);
    const [here, there] = [serializeEssence(stepResult.session), serializeEssence(first)];
    if (here !== there) note(result.stateDifferences, `${event.type}: ${here} and not ${there}`);
    if (isAnswerType(event) && !isSessionUntouched(from, stepLateAnswer(path)))
      note(result.lateAnswersTaken, event.type);
  }
  return result;
}

function formatMoveName({ from, on, index }: Pick<OracleMove, 'from' | 'on' | 'index'>): string {
  return `${from}, on ${on ?? 'passing'}, alternative ${index + 1}`;
}

function listEveryMove(): readonly string[] {
  return turnChart.states.flatMap(({ name: from, transitions }) =>
    transitions.map((move) => {
      const alternatives = transitions.filter((other) => other.on === move.on);
      return formatMoveName({ from, on: move.on, index: alternatives.indexOf(move) });
    }),
  );
}

describe.each(Object.entries(oracleRuns))('with settings: %s', (name, run) => {
  it('XState and the machine handle every event alike in every reachable state [NEX-88]', () => {
    expect(getOracleFindings(name, run).paths).toBeGreaterThan(run.pathsMin);
    expect(Object.fromEntries(getOracleFindings(name, run).differences)).toEqual({});
  });

  it('every path to a state of the chart gives the same session except for its history', () => {
    expect(Object.fromEntries(getOracleFindings(name, run).stateDifferences)).toEqual({});
  });

  it('an answer to another request changes nothing in any state', () => {
    expect(Object.fromEntries(getOracleFindings(name, run).lateAnswersTaken)).toEqual({});
  });
});

describe('the walks of the chart', () => {
  it('implement every guard of the chart, and no other', () => {
    const conditions = turnChart.states.flatMap(({ transitions }) =>
      transitions.flatMap((move) => move.guard ?? []),
    );
    expect(new Set(Object.keys(createGuards(defaultSettings)))).toEqual(new Set(conditions));
  });

  it('take every transition of the chart, including each alternative [LOOM-03]', () => {
    const created = new Set(
      Object.entries(oracleRuns).flatMap(([name, run]) => [...getOracleFindings(name, run).made]),
    );
    expect(listEveryMove().filter((move) => !created.has(move))).toEqual([]);
  });
});
