import { formatAim, type PerformanceAim } from '../lib/aim.ts';
import { formatSignificant, formatSpread } from '../lib/format-figures.ts';
import type { SampleSummary } from '../lib/statistics.ts';
import { formatBenchTable } from '../lib/table.ts';
import type { DurableResult, MeasuredLength, PawlRatio, DurableRow } from './measure.ts';

export function formatDurableReport(
  { environment: on, inMemory, lengths }: DurableResult,
  aims: readonly PerformanceAim[],
): string {
  return [
    `Node ${on.node}, V8 ${on.v8}, ${on.cpu}, ${on.cores} cores, load ${on.load.toFixed(1)}`,
    'Elapsed time; medians of interleaved rounds; each run in a separate process',
    ...(on.load > on.cores / 2 ? ['The machine is busy: the times below are unreliable.'] : []),
    ...(inMemory ? ['The folder for temporary files is in memory: set TMPDIR to a folder on a disk.'] : []),
    ...lengths.flatMap((length) => ['', ...formatLengthTables(length)]),
    '',
    ...aims.map(formatAim),
  ].join('\n');
}

function formatLengthTables(length: MeasuredLength): readonly string[] {
  const { steps, rounds, rows, overPawl } = length;
  const title = `${steps.toLocaleString('en')} steps, ${rounds} rounds`;
  const peers = overPawl.filter(({ key }) => key === 'langGraph' || key === 'langGraphDelta');
  return [
    formatBenchTable(
      [
        title,
        'time, raw = 1',
        'min..max',
        's',
        'steps/s',
        'ms/step, early',
        'late',
        'slowest 100',
        'on a processor',
        'synchronous',
      ],
      rows.map(toTimeRow),
    ),
    '',
    formatBenchTable(
      [title, 'disk, raw = 1', 'MB', 'B/step', 'own B/step', 'open, ms', 'open from the first event, ms'],
      rows.map(toDiskRow),
    ),
    ...(peers.length === 0
      ? []
      : [
          '',
          formatBenchTable(
            [title, 'time, Pawl = 1', 'min..max', 'disk, Pawl = 1'],
            peers.map(createPeerRow(rows)),
          ),
        ]),
  ];
}

function formatContenderName({ name, version }: Pick<DurableRow, 'name' | 'version'>): string {
  return version === null ? name : `${name} ${version}`;
}

function toTimeRow(row: DurableRow): readonly string[] {
  return [
    formatContenderName(row),
    formatSignificant(row.times.median),
    formatSpread(row.times),
    formatSignificant(row.seconds.median),
    row.stepsPerSecond.toFixed(0),
    formatSignificant(row.earlyMs),
    formatSignificant(row.lateMs),
    formatSignificant(row.slowestMs),
    formatSignificant(row.processorMsPerStep),
    row.synchronous,
  ];
}

function toDiskRow(row: DurableRow): readonly string[] {
  const { ownBytesPerStep: own, openFromStartMs: fromStart } = row;
  return [
    formatContenderName(row),
    formatSignificant(row.sizes.median),
    formatSignificant(row.bytes / 1e6),
    row.bytesPerStep.toFixed(0),
    own === null ? '' : own.toFixed(0),
    formatMilliseconds(row.openMs),
    fromStart === null ? '' : formatMilliseconds(fromStart),
  ];
}

function createPeerRow(rows: readonly DurableRow[]): (over: PawlRatio) => readonly string[] {
  return ({ key, times, sizes }) => {
    const row = rows.find((each) => each.key === key);
    return [
      row === undefined ? key : formatContenderName(row),
      formatSignificant(times.median),
      formatSpread(times),
      formatSignificant(sizes.median),
    ];
  };
}

function formatMilliseconds(summary: SampleSummary): string {
  return `${formatSignificant(summary.median)} (${formatSpread(summary)})`;
}
