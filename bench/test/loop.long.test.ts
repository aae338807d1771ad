import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { renderBenchmarksPage } from '../lib/page.ts';
import { listLoopAims, formatLoopReport } from '../loop/report.ts';
import type { LoopResult, LoopRow } from '../loop/measure.ts';
import { computeStepTimes } from '../loop/step-ms.ts';

const run = promisify(execFile);
const bench = fileURLToPath(new URL('../loop.ts', import.meta.url));
const child = fileURLToPath(new URL('../loop/child.ts', import.meta.url));

describe('the cost of a step', () => {
  it('is computed from the steps just before', () => {
    const ticks = Array.from({ length: 1_000 }, (_, step) => (step < 500 ? step : 500 + 3 * (step - 500)));
    expect(computeStepTimes(ticks, 1_000)).toEqual({ early: 1, middle: 1, late: 3 });
  });
});

describe('targets of the loop benchmark', () => {
  it('are judged against the fastest peer and the peer with the least memory', () => {
    const measured = createLoopTestResult([
      createLoopTestRow('pawl', 1, 100),
      createLoopTestRow('aiSdk', 5, 150),
      createLoopTestRow('langGraph', 9, 90),
    ]);
    expect(listLoopAims(measured)).toMatchObject([
      { atLeast: 3, measured: 5, met: true },
      { atMost: 1.25, measured: 1.2, met: true },
      { atMost: 1, measured: 100 / 90, met: false },
    ]);
    expect(formatLoopReport(measured, listLoopAims(measured))).toContain('| aiSdk 1.0.0 ');
  });

  it('apply to Pawl alone if there is no peer', () => {
    expect(
      listLoopAims(
        createLoopTestResult([createLoopTestRow('pawl', 1, 100), createLoopTestRow('ungoverned', 0.5, 90)]),
      ),
    ).toHaveLength(1);
  });
});

describe('node bench/loop.ts', () => {
  it('runs every contender through the same steps', async () => {
    const { stdout } = await run(process.execPath, [bench, '--quick', '--json']);
    const { steps, rows } = JSON.parse(stdout) as LoopResult;
    expect(steps).toBe(60);
    expect(rows.map(({ key }) => key)).toEqual([
      'pawl',
      'ungoverned',
      'onAiSdk',
      'aiSdk',
      'aiSdkStream',
      'langGraph',
      'langChain',
      'openaiAgents',
      'mastra',
    ]);
    for (const { times, peakBytes, stepMs } of rows) {
      expect(times.median).toBeGreaterThan(0);
      expect(peakBytes).toBeGreaterThan(1e7);
      expect(stepMs.late).toBeGreaterThan(0);
    }
  });

  it('stops if a contender is unknown', async () => {
    await expect(run(process.execPath, [child, 'nobody', '1'])).rejects.toThrow("got 'nobody'");
  });
});

describe('the page', () => {
  it('contains the output of every benchmark', () => {
    const page = renderBenchmarksPage([{ file: 'loop.ts', title: 'Loops', text: 'a table\n' }], new Date(0));
    expect(page).toContain('## Loops\n\n`bench/loop.ts`\n\n```text\na table\n```\n');
    expect(page).toContain('1970-01-01');
  });
});

function createLoopTestRow(key: LoopRow['key'], time: number, megabytes: number): LoopRow {
  const times = { median: time, min: time, max: time };
  return {
    key,
    name: key,
    version: '1.0.0',
    rounds: 1,
    times,
    seconds: times,
    processorMsPerStep: 1,
    stepMs: { early: 1, middle: 1, late: 1.2 },
    peakBytes: megabytes * 1e6,
  };
}

function createLoopTestResult(rows: readonly LoopRow[]): LoopResult {
  return { environment: { node: 'v24', v8: '13', cpu: 'some', cores: 2, load: 1 }, steps: 1_000, rows };
}
