import { formatAim, createLowerAim, createUpperAim, type PerformanceAim } from '../lib/aim.ts';
import { formatSignificant, formatSpread } from '../lib/format-figures.ts';
import { formatBenchTable } from '../lib/table.ts';
import type { LoopResult, LoopRow } from './measure.ts';

const isOwnRow = ({ key }: LoopRow): boolean => key === 'pawl' || key === 'ungoverned' || key === 'onAiSdk';

/** Checks the aims against the results; without peers, only the aims that involve none. */
export function listLoopAims({ rows }: LoopResult): readonly PerformanceAim[] {
  const pawl = rows.find(({ key }) => key === 'pawl');
  if (pawl === undefined) return [];
  const own = [
    createUpperAim(
      'times the cost of an early step late in the run',
      1.25,
      pawl.stepMs.late / pawl.stepMs.early,
    ),
  ];
  const peers = rows.filter((row) => !isOwnRow(row));
  if (peers.length === 0) return own;
  const fastest = peers.reduce((best, row) => (row.times.median < best.times.median ? row : best));
  const smallest = peers.reduce((best, row) => (row.peakBytes < best.peakBytes ? row : best));
  return [
    createLowerAim(`times as fast as the fastest of them, ${fastest.name}`, 3, fastest.times.median),
    ...own,
    createUpperAim(
      `of the memory of the one with the least, ${smallest.name}`,
      1,
      pawl.peakBytes / smallest.peakBytes,
    ),
  ];
}

export function formatLoopReport(
  { environment, steps, rows }: LoopResult,
  judged: readonly PerformanceAim[],
): string {
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
    `Node ${node}, V8 ${v8}, ${cpu}, ${cores} cores, load ${load.toFixed(1)}\nElapsed time; medians of interleaved rounds; each run in a separate process`,
    formatBenchTable(head, rows.map(toLoopLine)),
    judged.map(formatAim).join('\n'),
  ].join('\n\n');
}

function toLoopLine({
  name,
  version,
  times,
  seconds,
  stepMs,
  processorMsPerStep,
  peakBytes,
  rounds,
}: LoopRow): string[] {
  return [
    version === null ? name : `${name} ${version}`,
    formatSignificant(times.median),
    formatSpread(times),
    formatSignificant(seconds.median),
    formatSignificant(stepMs.early),
    formatSignificant(stepMs.middle),
    formatSignificant(stepMs.late),
    formatSignificant(processorMsPerStep),
    (peakBytes / 1e6).toFixed(0),
    String(rounds),
  ];
}
