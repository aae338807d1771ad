import { aimLine, type Aim } from '../lib/aim.ts';
import { significant, spread } from '../lib/figures.ts';
import type { Summary } from '../lib/statistics.ts';
import { table } from '../lib/table.ts';
import type { Measured, MeasuredLength, OverPawl, Row } from './measure.ts';

export function report({ environment: on, inMemory, lengths }: Measured, aims: readonly Aim[]): string {
  return [
    `Node ${on.node}, V8 ${on.v8}, ${on.cpu}, ${on.cores} cores, load ${on.load.toFixed(1)}`,
    'Elapsed time; medians of interleaved rounds; every run in a process of its own',
    ...(on.load > on.cores / 2 ? ['Others are at work on this machine: the times below say little.'] : []),
    ...(inMemory
      ? ['The folder for temporary files is in memory: set TMPDIR to one that is on a disk.']
      : []),
    ...lengths.flatMap((length) => ['', ...tablesOf(length)]),
    '',
    ...aims.map(aimLine),
  ].join('\n');
}

function tablesOf(length: MeasuredLength): readonly string[] {
  const { steps, rounds, rows, overPawl } = length;
  const title = `${steps.toLocaleString('en')} steps, ${rounds} rounds`;
  const peers = overPawl.filter(({ key }) => key === 'langGraph' || key === 'langGraphDelta');
  return [
    table(
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
      rows.map(timeRow),
    ),
    '',
    table(
      [title, 'disk, raw = 1', 'MB', 'B/step', 'own B/step', 'open, ms', 'open from the first event, ms'],
      rows.map(diskRow),
    ),
    ...(peers.length === 0
      ? []
      : ['', table([title, 'time, Pawl = 1', 'min..max', 'disk, Pawl = 1'], peers.map(peerRow(rows)))]),
  ];
}

function nameOf({ name, version }: Pick<Row, 'name' | 'version'>): string {
  return version === null ? name : `${name} ${version}`;
}

function timeRow(row: Row): readonly string[] {
  return [
    nameOf(row),
    significant(row.times.median),
    spread(row.times),
    significant(row.seconds.median),
    row.stepsPerSecond.toFixed(0),
    significant(row.earlyMs),
    significant(row.lateMs),
    significant(row.slowestMs),
    significant(row.processorMsPerStep),
    row.synchronous,
  ];
}

function diskRow(row: Row): readonly string[] {
  const { ownBytesPerStep: own, openFromStartMs: fromStart } = row;
  return [
    nameOf(row),
    significant(row.sizes.median),
    significant(row.bytes / 1e6),
    row.bytesPerStep.toFixed(0),
    own === null ? '' : own.toFixed(0),
    milliseconds(row.openMs),
    fromStart === null ? '' : milliseconds(fromStart),
  ];
}

function peerRow(rows: readonly Row[]): (over: OverPawl) => readonly string[] {
  return ({ key, times, sizes }) => {
    const row = rows.find((each) => each.key === key);
    return [
      row === undefined ? key : nameOf(row),
      significant(times.median),
      spread(times),
      significant(sizes.median),
    ];
  };
}

function milliseconds(summary: Summary): string {
  return `${significant(summary.median)} (${spread(summary)})`;
}
