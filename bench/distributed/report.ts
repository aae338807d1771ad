import { formatAim, type PerformanceAim } from '../lib/aim.ts';
import { formatSignificant, formatSpread } from '../lib/format-figures.ts';
import { formatBenchTable } from '../lib/table.ts';
import type { DistributedResult, DistributedRow } from './measure.ts';

export function formatDistributedReport(
  measured: DistributedResult,
  judged: readonly PerformanceAim[],
): string {
  const { environment: on, redis, bullmq, rounds, rows, fairness, takeover } = measured;
  return [
    `Node ${on.node}, Redis ${redis}, BullMQ ${bullmq}, ${on.cpu}, ${on.cores} cores, load ${on.load.toFixed(1)}\nMedians of ${rounds} interleaved rounds`,
    formatBenchTable(
      ['steps', 'workers', 'sessions/s', 'steps/s', 'messages/s', 'raw jobs/s', 'of raw', 'min..max'],
      rows.map(toSpeedCells),
    ),
    'CPU time of the workers per message, without Redis, and Redis memory per session:',
    formatBenchTable(
      ['steps', 'workers', 'µs', 'raw µs', 'by raw', 'min..max', 'kB/session', 'kB written'],
      rows.map(toProcessorCells),
    ),
    `A tenant alone: ${formatSignificant(fairness.aloneSeconds)} s; next to one with far more work: ${formatSignificant(fairness.besideSeconds)} s`,
    `After a worker was killed, with a lease of ${takeover.leaseMs / 1_000} s: ${formatSignificant(takeover.seconds.median)} s (${formatSpread(takeover.seconds)})`,
    judged.map(formatAim).join('\n'),
  ].join('\n\n');
}

function toSpeedCells(row: DistributedRow): readonly string[] {
  const { steps, workers, sessionsPerSecond, stepsPerSecond, messagesPerSecond, rawPerSecond, ofRaw } = row;
  const rates = [sessionsPerSecond, stepsPerSecond, messagesPerSecond, rawPerSecond].map((rate) =>
    rate.toFixed(0),
  );
  return [String(steps), String(workers), ...rates, ofRaw.median.toFixed(2), formatSpread(ofRaw)];
}

function toProcessorCells(row: DistributedRow): readonly string[] {
  const { steps, workers, processorUs, rawProcessorUs, processorOfRaw, redisBytes, writtenBytes } = row;
  const times = [processorUs, rawProcessorUs].map((each) => each.toFixed(0));
  const ratio = [processorOfRaw.median.toFixed(2), formatSpread(processorOfRaw)];
  const sizes = [redisBytes, writtenBytes].map((bytes) => formatSignificant(bytes / 1_000));
  return [String(steps), String(workers), ...times, ...ratio, ...sizes];
}
