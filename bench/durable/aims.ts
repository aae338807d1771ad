import { createLowerAim, createUpperAim, type PerformanceAim } from '../lib/aim.ts';
import type { DurableResult, MeasuredLength, DurableRow } from './measure.ts';

/** Durable steps per second of other systems, each with a commit, measured once on a machine with two cores. */
const publishedRates = { 'DBOS on PostgreSQL': 434, Restate: 630 } as const;

export function listDurableAims({ lengths }: DurableResult): readonly PerformanceAim[] {
  const [short, long] = [lengths.at(0), lengths.at(-1)];
  if (short === undefined || long === undefined) return [];
  const pawl = findPawlRow(long);
  return [
    ...lengths.map((length) =>
      createLowerAim(
        `of the rate of the raw append, ${formatSteps(length)}`,
        0.5,
        1 / findPawlRow(length).times.median,
      ),
    ),
    createUpperAim(
      `times the cost of an early step late in ${formatSteps(long)}`,
      1.2,
      pawl.lateByEarly.median,
    ),
    createUpperAim(
      'bytes per step in addition to the text of the events',
      2_000,
      pawl.ownBytesPerStep ?? Number.NaN,
    ),
    ...listLangGraphAims(short),
    ...Object.entries(publishedRates).map(([name, perSecond]) =>
      createLowerAim(`steps a second, as ${name}`, perSecond, findPawlRow(short).stepsPerSecond),
    ),
  ];
}

function listLangGraphAims(length: MeasuredLength): readonly PerformanceAim[] {
  return length.overPawl
    .filter(({ key }) => key === 'langGraph')
    .flatMap(({ times, sizes }) => [
      createLowerAim(`times as fast as LangGraph.js, ${formatSteps(length)}`, 20, times.median),
      createLowerAim(`times as small as LangGraph.js, ${formatSteps(length)}`, 300, sizes.median),
    ]);
}

function findPawlRow({ rows, steps }: MeasuredLength): DurableRow {
  const row = rows.find(({ key }) => key === 'pawl');
  if (row === undefined) throw new Error(`Expected Pawl among those with ${steps} steps, found none`);
  return row;
}

function formatSteps({ steps }: MeasuredLength): string {
  return `${steps.toLocaleString('en')} steps`;
}
