import { atLeast, atMost, type Aim } from '../lib/aim.ts';
import type { Measured, MeasuredLength, Row } from './measure.ts';

/** Steps a second that others keep, each with a commit, measured once on a machine of two cores. */
const elsewhere = { 'DBOS on PostgreSQL': 434, Restate: 630 } as const;

export function aims({ lengths }: Measured): readonly Aim[] {
  const [short, long] = [lengths.at(0), lengths.at(-1)];
  if (short === undefined || long === undefined) return [];
  const pawl = pawlIn(long);
  return [
    ...lengths.map((length) =>
      atLeast(`of the rate of the raw append, ${stepsOf(length)}`, 0.5, 1 / pawlIn(length).times.median),
    ),
    atMost(`times the cost of an early step late in ${stepsOf(long)}`, 1.2, pawl.lateByEarly.median),
    atMost('bytes a step besides the text of the events', 2_000, pawl.ownBytesPerStep ?? Number.NaN),
    ...besideLangGraph(short),
    ...Object.entries(elsewhere).map(([name, perSecond]) =>
      atLeast(`steps a second, as ${name}`, perSecond, pawlIn(short).stepsPerSecond),
    ),
  ];
}

function besideLangGraph(length: MeasuredLength): readonly Aim[] {
  return length.overPawl
    .filter(({ key }) => key === 'langGraph')
    .flatMap(({ times, sizes }) => [
      atLeast(`times as fast as LangGraph.js, ${stepsOf(length)}`, 20, times.median),
      atLeast(`times as small as LangGraph.js, ${stepsOf(length)}`, 300, sizes.median),
    ]);
}

function pawlIn({ rows, steps }: MeasuredLength): Row {
  const row = rows.find(({ key }) => key === 'pawl');
  if (row === undefined) throw new Error(`Expected Pawl among those with ${steps} steps, found none`);
  return row;
}

function stepsOf({ steps }: MeasuredLength): string {
  return `${steps.toLocaleString('en')} steps`;
}
