import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { listDistributedAims } from '../distributed/aims.ts';
import type { DistributedResult, DistributedRow } from '../distributed/measure.ts';
import { formatDistributedReport } from '../distributed/report.ts';
import { getRawMessage } from '../distributed/bench-agent.ts';

const bench = fileURLToPath(new URL('../distributed.ts', import.meta.url));
const run = promisify(execFile);

const createConstantSummary = (value: number) => ({ median: value, min: value, max: value });

function createDistributedTestRow(workers: number, ofRaw: number): DistributedRow {
  return {
    sessions: 10,
    steps: 4,
    workers,
    sessionsPerSecond: 100,
    stepsPerSecond: 500,
    messagesPerSecond: 1_000,
    rawPerSecond: 2_000,
    ofRaw: createConstantSummary(ofRaw),
    processorUs: 200,
    rawProcessorUs: 100,
    processorOfRaw: createConstantSummary(2),
    redisBytes: 12_300,
    writtenBytes: 45_600,
  };
}

const measured: DistributedResult = {
  environment: { node: 'v24', v8: '1', cpu: 'some', cores: 3, load: 0.5 },
  redis: '7.0',
  bullmq: '6.7.0',
  rounds: 1,
  rows: [
    createDistributedTestRow(1, 0.7),
    createDistributedTestRow(2, 0.5),
    createDistributedTestRow(4, 0.1),
  ],
  fairness: { aloneSeconds: 1, besideSeconds: 2 },
  takeover: { leaseMs: 10_000, seconds: createConstantSummary(12) },
};

describe('bench/distributed.ts', () => {
  it('judges at most as many workers as there are cores', () => {
    const judged = listDistributedAims(measured);
    expect(judged.map(({ met }) => met)).toEqual([true, false, true, true]);
    expect(judged.map((each) => each.measured)).toEqual([0.7, 0.5, 2, 12]);
  });

  it('prints everything it measured', () => {
    const text = formatDistributedReport(measured, listDistributedAims(measured));
    for (const part of [
      'Redis 7.0',
      '| 4     |       2 |',
      '0.50',
      'lease of 10 s: 12.0 s',
      ' 12.3 |       45.6 |',
      'MISSED',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('gives raw jobs the same payload as messages', () => {
    const lengths = [0, 1, 2, 3].map((index) => getRawMessage(index).length);
    expect(Math.min(...lengths)).toBeGreaterThan(40);
    expect(new Set([0, 1, 2, 3].map(getRawMessage)).size).toBe(4);
  });

  it(
    'times both contenders, shares capacity between tenants, and survives a kill',
    { tags: ['redis'] },
    async () => {
      const { stdout } = await run(process.execPath, [bench, '--quick', '--json']);
      const {
        rows,
        fairness,
        takeover,
        aims: judged,
      } = JSON.parse(stdout) as DistributedResult & { readonly aims: unknown[] };
      expect(rows.map(({ workers, steps }) => [workers, steps])).toEqual([
        [1, 4],
        [2, 4],
      ]);
      for (const each of rows) {
        expect(each.messagesPerSecond).toBeCloseTo(each.stepsPerSecond * 2, 5);
        expect(each.rawPerSecond).toBeGreaterThan(0);
        expect(each.processorUs).toBeGreaterThan(0);
        expect(each.redisBytes).toBeGreaterThan(1_000);
        expect(each.writtenBytes).toBeGreaterThan(1_000);
      }
      expect(fairness.aloneSeconds).toBeGreaterThan(0);
      // No worker takes over before the lease has expired.
      expect(takeover.seconds.min).toBeGreaterThan(1);
      expect(judged.length).toBeGreaterThanOrEqual(3);
    },
  );
});
