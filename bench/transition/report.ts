import { aimLine, type Aim } from '../lib/aim.ts';
import { significant, spread } from '../lib/figures.ts';
import { table } from '../lib/table.ts';
import { turnsPerSession, type Growth, type Measured, type Speed } from './measure.ts';

export function report(measured: Measured, aims: readonly Aim[]): string {
  const { environment: on, plan, idleSessions, speeds, growth, seasoned } = measured;
  return [
    `Node ${on.node}, V8 ${on.v8}, ${on.cpu}, ${on.cores} cores, load ${on.load.toFixed(1)}`,
    `Processor time; medians of ${plan.rounds} interleaved rounds of ${plan.sliceMs} ms; sessions of ${turnsPerSession} turns`,
    '',
    table(
      [
        'one turn',
        'time, bare = 1',
        'min..max',
        'M events/s',
        'ns/turn',
        'B/session, fresh',
        'B/session, 1 turn',
      ],
      speeds.map(speedRow),
    ),
    '',
    `Idle sessions: ${idleSessions.toLocaleString('en')} of each, heap after collection.`,
    '',
    table(['a late turn by an early one', 'time, early = 1', 'min..max'], growth.map(growthRow)),
    '',
    `Once Pawl has seen every event in every state: ${significant(seasoned.median)} times the bare reducer (${spread(seasoned)})`,
    '',
    ...aims.map(aimLine),
  ].join('\n');
}

function speedRow({ name, version, times, nsPerTurn, ...rest }: Speed): readonly string[] {
  return [
    version === null ? name : `${name} ${version}`,
    significant(times.median),
    spread(times),
    significant(rest.eventsPerSecond / 1e6),
    significant(nsPerTurn.median),
    rest.bytesFresh.toFixed(0),
    rest.bytesAfterOneTurn.toFixed(0),
  ];
}

function growthRow({ name, early, late, times }: Growth): readonly string[] {
  return [`${name}, turn ${late} by turn ${early}`, significant(times.median), spread(times)];
}
