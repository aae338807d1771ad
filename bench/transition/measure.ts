import { assertAgreement } from '../contenders/agreement.ts';
import { contenders } from '../contenders/all.ts';
import { bareReducer } from '../contenders/bare-reducer.ts';
import { playTurn, type Contender } from '../contenders/contender.ts';
import { pawl } from '../contenders/pawl.ts';
import { turnEvents } from '../contenders/turn-events.ts';
import { environment, versionOf, type Environment } from '../lib/environment.ts';
import { interleave, type Plan } from '../lib/interleave.ts';
import { bytesEach } from '../lib/memory.ts';
import { pairedRatios, summarise, type Summary } from '../lib/statistics.ts';
import { seasonPawl } from './seasoning.ts';
import { freshSession, longSession, turnsTask } from './turns-task.ts';

/** How much to measure. */
export type Size = { readonly plan: Plan; readonly idleSessions: number };

export const full: Size = {
  plan: { rounds: 21, warmUpRounds: 3, sliceMs: 150 },
  idleSessions: 100_000,
};
export const quick: Size = {
  plan: { rounds: 3, warmUpRounds: 1, sliceMs: 10 },
  idleSessions: 5_000,
};

export const turnsPerSession = 100;
const growthTurns = 50;
const early = 100;
const late = 10_000;

/** One contender's numbers. `times` is how many times as long as the bare reducer it takes, round by round. */
export type Speed = {
  readonly name: string;
  readonly version: string | null;
  readonly times: Summary;
  readonly nsPerTurn: Summary;
  readonly eventsPerSecond: number;
  readonly bytesFresh: number;
  readonly bytesAfterOneTurn: number;
};

/** What a turn late in a session costs, by what a turn early in it costs. */
export type Growth = {
  readonly name: string;
  readonly early: number;
  readonly late: number;
  readonly times: Summary;
};

export type Measured = {
  readonly environment: Environment;
  readonly plan: Plan;
  readonly idleSessions: number;
  readonly speeds: readonly Speed[];
  /** How many times as long as Pawl each contender takes, round by round. */
  readonly overPawl: Readonly<Record<string, Summary>>;
  /** How many times as long as the bare reducer Pawl takes once it has seen every event in every state. */
  readonly seasoned: Summary;
  readonly growth: readonly Growth[];
};

export function measure(size: Size): Measured {
  assertAgreement(contenders, 20);
  const timings = interleave(
    contenders.map((contender) => turnsTask(contender, freshSession(contender, turnsPerSession))),
    size.plan,
  );
  const samplesOf = (contender: Contender): readonly number[] =>
    timings.find(({ name }) => name === contender.name)?.samples ?? [];
  const timesOf = (contender: Contender, base: Contender): Summary =>
    summarise(pairedRatios(samplesOf(contender), samplesOf(base)));
  return {
    environment: environment(),
    plan: size.plan,
    idleSessions: size.idleSessions,
    speeds: contenders.map((contender) => {
      const nsPerTurn = summarise(samplesOf(contender));
      return {
        name: contender.name,
        version: contender.library === null ? null : versionOf(contender.library),
        times: timesOf(contender, bareReducer),
        nsPerTurn,
        eventsPerSecond: (turnEvents.length * 1e9) / nsPerTurn.median,
        ...idleBytes(contender, size.idleSessions),
      };
    }),
    overPawl: Object.fromEntries(contenders.map((each) => [each.name, timesOf(each, pawl)])),
    growth: [bareReducer, pawl].map((contender) => measureGrowth(contender, size.plan)),
    // Last, because there is no way back from it.
    seasoned: measureSeasoned(size.plan),
  };
}

function idleBytes(contender: Contender, count: number): Pick<Speed, 'bytesFresh' | 'bytesAfterOneTurn'> {
  return {
    bytesFresh: bytesEach(count, (index) => contender.create(`session-${index}`)),
    bytesAfterOneTurn: bytesEach(count, (index) => playTurn(contender, contender.create(`session-${index}`))),
  };
}

function measureGrowth(contender: Contender, plan: Plan): Growth {
  const [atEarly, atLate] = interleave(
    [early, late].map((turn) => turnsTask(contender, longSession(contender, turn, growthTurns))),
    plan,
  );
  const ratios = pairedRatios(atLate?.samples ?? [], atEarly?.samples ?? []);
  return { name: contender.name, early, late, times: summarise(ratios) };
}

function measureSeasoned(plan: Plan): Summary {
  seasonPawl();
  const [bare, seasoned] = interleave(
    [bareReducer, pawl].map((contender) => turnsTask(contender, freshSession(contender, turnsPerSession))),
    plan,
  );
  return summarise(pairedRatios(seasoned?.samples ?? [], bare?.samples ?? []));
}
