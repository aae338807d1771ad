import { aimLine, type Aim } from '../lib/aim.ts';
import { significant, spread } from '../lib/figures.ts';
import { table } from '../lib/table.ts';
import type { Measured, Row } from './measure.ts';

export function report(measured: Measured, judged: readonly Aim[]): string {
  const { environment: on, redis, bullmq, rounds, rows, fairness, takeover } = measured;
  return [
    `Node ${on.node}, Redis ${redis}, BullMQ ${bullmq}, ${on.cpu}, ${on.cores} cores, load ${on.load.toFixed(1)}\nMedians of ${rounds} interleaved rounds`,
    table(
      ['steps', 'workers', 'sessions/s', 'steps/s', 'messages/s', 'raw jobs/s', 'of raw', 'min..max'],
      rows.map(speedCells),
    ),
    'Processor time of the workers, without that of Redis, for a message, and what a session takes in Redis:',
    table(
      ['steps', 'workers', 'µs', 'raw µs', 'by raw', 'min..max', 'kB/session', 'kB written'],
      rows.map(processorCells),
    ),
    `A tenant alone: ${significant(fairness.aloneSeconds)} s; beside one with far more to do: ${significant(fairness.besideSeconds)} s`,
    `After a worker was killed, with a lease of ${takeover.leaseMs / 1_000} s: ${significant(takeover.seconds.median)} s (${spread(takeover.seconds)})`,
    judged.map(aimLine).join('\n'),
  ].join('\n\n');
}

function speedCells(row: Row): readonly string[] {
  const { steps, workers, sessionsPerSecond, stepsPerSecond, messagesPerSecond, rawPerSecond, ofRaw } = row;
  const rates = [sessionsPerSecond, stepsPerSecond, messagesPerSecond, rawPerSecond].map((rate) =>
    rate.toFixed(0),
  );
  return [String(steps), String(workers), ...rates, ofRaw.median.toFixed(2), spread(ofRaw)];
}

function processorCells(row: Row): readonly string[] {
  const { steps, workers, processorUs, rawProcessorUs, processorOfRaw, redisBytes, writtenBytes } = row;
  const times = [processorUs, rawProcessorUs].map((each) => each.toFixed(0));
  const ratio = [processorOfRaw.median.toFixed(2), spread(processorOfRaw)];
  const sizes = [redisBytes, writtenBytes].map((bytes) => significant(bytes / 1_000));
  return [String(steps), String(workers), ...times, ...ratio, ...sizes];
}
