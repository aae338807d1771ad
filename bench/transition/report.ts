import { formatAim, type PerformanceAim } from '../lib/aim.ts';
import { formatSignificant, formatSpread } from '../lib/format-figures.ts';
import { formatBenchTable } from '../lib/table.ts';
import { turnsPerSession, type TurnGrowth, type TransitionResult, type ContenderSpeed } from './measure.ts';

export function formatTransitionReport(measured: TransitionResult, aims: readonly PerformanceAim[]): string {
  const { environment: on, plan, idleSessions, speeds, growth, warmedUp } = measured;
  return [
    `Node ${on.node}, V8 ${on.v8}, ${on.cpu}, ${on.cores} cores, load ${on.load.toFixed(1)}`,
    `Processor time; medians of ${plan.rounds} interleaved rounds of ${plan.sliceMs} ms; sessions of ${turnsPerSession} turns`,
    '',
    formatBenchTable(
      [
        'one turn',
        'time, bare = 1',
        'min..max',
        'M events/s',
        'ns/turn',
        'B/session, fresh',
        'B/session, 1 turn',
      ],
      speeds.map(toSpeedRow),
    ),
    '',
    `Idle sessions: ${idleSessions.toLocaleString('en')} of each, heap after collection.`,
    '',
    formatBenchTable(['a late turn by an early one', 'time, early = 1', 'min..max'], growth.map(toGrowthRow)),
    '',
    `Once Pawl has seen every event in every state: ${formatSignificant(warmedUp.median)} times the bare reducer (${formatSpread(warmedUp)})`,
    '',
    ...aims.map(formatAim),
  ].join('\n');
}

function toSpeedRow({ name, version, times, nsPerTurn, ...rest }: ContenderSpeed): readonly string[] {
  return [
    version === null ? name : `${name} ${version}`,
    formatSignificant(times.median),
    formatSpread(times),
    formatSignificant(rest.eventsPerSecond / 1e6),
    formatSignificant(nsPerTurn.median),
    rest.bytesFresh.toFixed(0),
    rest.bytesAfterOneTurn.toFixed(0),
  ];
}

function toGrowthRow({ name, early, late, times }: TurnGrowth): readonly string[] {
  return [`${name}, turn ${late} by turn ${early}`, formatSignificant(times.median), formatSpread(times)];
}
