import { assertAgreement } from '../contenders/agreement.ts';
import { turnContenders } from '../contenders/all.ts';
import { bareReducer } from '../contenders/bare-reducer.ts';
import { playTurn, type TurnContender } from '../contenders/contender.ts';
import { pawlStepContender } from '../contenders/pawl.ts';
import { turnEvents } from '../contenders/turn-events.ts';
import { readBenchMachine, getPackageVersion, type BenchMachine } from '../lib/environment.ts';
import { interleaveTasks, type InterleavePlan } from '../lib/interleave.ts';
import { measureBytesEach } from '../lib/memory.ts';
import { computePairedRatios, summarizeSamples, type SampleSummary } from '../lib/statistics.ts';
import { warmUpPawl } from './warm-up.ts';
import { createFreshStart, createLongStart, createTurnsTask } from './turns-task.ts';

/** How much to measure. */
export type TransitionPlan = { readonly plan: InterleavePlan; readonly idleSessions: number };

export const fullPlan: TransitionPlan = {
  plan: { rounds: 21, warmUpRounds: 3, sliceMs: 150 },
  idleSessions: 100_000,
};
export const quickPlan: TransitionPlan = {
  plan: { rounds: 3, warmUpRounds: 1, sliceMs: 10 },
  idleSessions: 5_000,
};

export const turnsPerSession = 100;
const growthTurns = 50;
const earlyTurn = 100;
const lateTurn = 10_000;

/** Results of one contender. `times` is the ratio to the bare reducer, round by round. */
export type ContenderSpeed = {
  readonly name: string;
  readonly version: string | null;
  readonly times: SampleSummary;
  readonly nsPerTurn: SampleSummary;
  readonly eventsPerSecond: number;
  readonly bytesFresh: number;
  readonly bytesAfterOneTurn: number;
};

/** Cost of a turn late in a session relative to one early in it. */
export type TurnGrowth = {
  readonly name: string;
  readonly early: number;
  readonly late: number;
  readonly times: SampleSummary;
};

export type TransitionResult = {
  readonly environment: BenchMachine;
  readonly plan: InterleavePlan;
  readonly idleSessions: number;
  readonly speeds: readonly ContenderSpeed[];
  /** Ratio of each contender to Pawl, round by round. */
  readonly overPawl: Readonly<Record<string, SampleSummary>>;
  /** Ratio of Pawl to the bare reducer after Pawl has processed every event type in every state. */
  readonly warmedUp: SampleSummary;
  readonly growth: readonly TurnGrowth[];
};

export function measureTransition(size: TransitionPlan): TransitionResult {
  assertAgreement(turnContenders, 20);
  const timings = interleaveTasks(
    turnContenders.map((contender) =>
      createTurnsTask(contender, createFreshStart(contender, turnsPerSession)),
    ),
    size.plan,
  );
  const samplesOf = (contender: TurnContender): readonly number[] =>
    timings.find(({ name }) => name === contender.name)?.samples ?? [];
  const timesOf = (contender: TurnContender, base: TurnContender): SampleSummary =>
    summarizeSamples(computePairedRatios(samplesOf(contender), samplesOf(base)));
  return {
    environment: readBenchMachine(),
    plan: size.plan,
    idleSessions: size.idleSessions,
    speeds: turnContenders.map((contender) => {
      const nsPerTurn = summarizeSamples(samplesOf(contender));
      return {
        name: contender.name,
        version: contender.library === null ? null : getPackageVersion(contender.library),
        times: timesOf(contender, bareReducer),
        nsPerTurn,
        eventsPerSecond: (turnEvents.length * 1e9) / nsPerTurn.median,
        ...measureIdleBytes(contender, size.idleSessions),
      };
    }),
    overPawl: Object.fromEntries(turnContenders.map((each) => [each.name, timesOf(each, pawlStepContender)])),
    growth: [bareReducer, pawlStepContender].map((contender) => measureTurnGrowth(contender, size.plan)),
    // Last, because the engine's type feedback cannot be reset.
    warmedUp: measureSeasoned(size.plan),
  };
}

function measureIdleBytes(
  contender: TurnContender,
  count: number,
): Pick<ContenderSpeed, 'bytesFresh' | 'bytesAfterOneTurn'> {
  return {
    bytesFresh: measureBytesEach(count, (index) => contender.create(`session-${index}`)),
    bytesAfterOneTurn: measureBytesEach(count, (index) =>
      playTurn(contender, contender.create(`session-${index}`)),
    ),
  };
}

function measureTurnGrowth(contender: TurnContender, plan: InterleavePlan): TurnGrowth {
  const [atEarly, atLate] = interleaveTasks(
    [earlyTurn, lateTurn].map((turn) =>
      createTurnsTask(contender, createLongStart(contender, turn, growthTurns)),
    ),
    plan,
  );
  const ratios = computePairedRatios(atLate?.samples ?? [], atEarly?.samples ?? []);
  return { name: contender.name, early: earlyTurn, late: lateTurn, times: summarizeSamples(ratios) };
}

function measureSeasoned(plan: InterleavePlan): SampleSummary {
  warmUpPawl();
  const [bare, warmedUp] = interleaveTasks(
    [bareReducer, pawlStepContender].map((contender) =>
      createTurnsTask(contender, createFreshStart(contender, turnsPerSession)),
    ),
    plan,
  );
  return summarizeSamples(computePairedRatios(warmedUp?.samples ?? [], bare?.samples ?? []));
}
