import { aimLine, atLeast, atMost, type Aim } from '../lib/aim.ts';
import { significant, spread } from '../lib/figures.ts';
import { table } from '../lib/table.ts';
import type { Measured, Row } from './measure.ts';

const isOurs = ({ key }: Row): boolean => key === 'pawl' || key === 'ungoverned' || key === 'onAiSdk';

/** What is aimed at, by what was measured: without peers only what has to do with none. */
export function aims({ rows }: Measured): readonly Aim[] {
  const pawl = rows.find(({ key }) => key === 'pawl');
  if (pawl === undefined) return [];
  const own = [
    atMost('times the cost of an early step late in the run', 1.25, pawl.stepMs.late / pawl.stepMs.early),
  ];
  const peers = rows.filter((row) => !isOurs(row));
  if (peers.length === 0) return own;
  const fastest = peers.reduce((best, row) => (row.times.median < best.times.median ? row : best));
  const smallest = peers.reduce((best, row) => (row.peakBytes < best.peakBytes ? row : best));
  return [
    atLeast(`times as fast as the fastest of them, ${fastest.name}`, 3, fastest.times.median),
    ...own,
    atMost(
      `of the memory of the one with the least, ${smallest.name}`,
      1,
      pawl.peakBytes / smallest.peakBytes,
    ),
  ];
}

export function report({ environment, steps, rows }: Measured, judged: readonly Aim[]): string {
  const { node, v8, cpu, cores, load } = environment;
  const after = (part: number): string => (steps * part).toLocaleString('en');
  const head = [
    `${steps.toLocaleString('en')} steps`,
    'time, Pawl = 1',
    'min..max',
    's',
    `ms/step at ${after(0.1)}`,
    `at ${after(0.5)}`,
    `at ${after(1)}`,
    'processor ms/step',
    'peak MB',
    'rounds',
  ];
  return [
    `Node ${node}, V8 ${v8}, ${cpu}, ${cores} cores, load ${load.toFixed(1)}\nElapsed time; medians of interleaved rounds; every run in a process of its own`,
    table(head, rows.map(lineOf)),
    judged.map(aimLine).join('\n'),
  ].join('\n\n');
}

function lineOf({
  name,
  version,
  times,
  seconds,
  stepMs,
  processorMsPerStep,
  peakBytes,
  rounds,
}: Row): string[] {
  return [
    version === null ? name : `${name} ${version}`,
    significant(times.median),
    spread(times),
    significant(seconds.median),
    significant(stepMs.early),
    significant(stepMs.middle),
    significant(stepMs.late),
    significant(processorMsPerStep),
    (peakBytes / 1e6).toFixed(0),
    String(rounds),
  ];
}
