import * as fc from 'fast-check';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listDurableAims } from '../durable/aims.ts';
import { toSynchronousLevel } from '../durable/contender.ts';
import type { DurableContenderKey } from '../durable/contenders.ts';
import type { DurableResult, DurableRow } from '../durable/measure.ts';
import { durablePawlContender, durablePawlUngoverned } from '../durable/pawl.ts';
import { rawAppend } from '../durable/raw-append.ts';
import { formatDurableReport } from '../durable/report.ts';
import { computeEarlyLate, findSlowestWindow, computeStepWindows } from '../durable/windows.ts';
import { countBenchMessages } from '../durable/bench-session.ts';

const run = promisify(execFile);
const bench = fileURLToPath(new URL('../durable.ts', import.meta.url));
const child = fileURLToPath(new URL('../durable/child.ts', import.meta.url));

describe('windows', () => {
  it('have a hundred steps each and end with the last step', () => {
    const ticks = Array.from({ length: 250 }, (_, step) => (step < 150 ? step : 150 + 3 * (step - 150)));
    expect(computeStepWindows(ticks)).toEqual([1, 2.98]);
  });

  it('are equal if all steps are equal, for any number of steps', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_500 }), fc.integer({ min: 1, max: 50 }), (count, ms) => {
        const windows = computeStepWindows(Array.from({ length: count }, (_, step) => step * ms));
        expect(windows).toEqual(Array.from({ length: Math.floor(Math.max(0, count - 1) / 100) }, () => ms));
      }),
    );
  });

  it('report the cost of early and late steps and the most expensive window', () => {
    const windows = [2, 2, 9, ...Array.from({ length: 24 }, () => 3), 4, 4, 7];
    expect(computeEarlyLate(windows)).toEqual({ early: 2, late: 4 });
    expect(findSlowestWindow(windows)).toBe(9);
  });
});

describe('durable contenders', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pawl-bench-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const steps = 60;

  it.each([rawAppend, durablePawlContender, durablePawlUngoverned])(
    '$name stores every step and reads it back',
    async (contender) => {
      let ticks = 0;
      const done = await contender.run({ steps, folder, tick: () => void (ticks += 1) });
      expect(ticks).toBe(steps);
      expect(done.synchronous).toBe('FULL');
      expect(await contender.open(folder)).toMatchObject({ messages: countBenchMessages(steps) });
    },
  );

  it('store the same texts through Pawl and through the raw append', async () => {
    const work = { steps, folder, tick: () => undefined };
    const { textBytes } = await durablePawlContender.run(work);
    expect((await rawAppend.run(work)).textBytes).toBe(textBytes);
  });

  it('start at the first event if the snapshot is missing', async () => {
    await durablePawlContender.run({ steps, folder, tick: () => undefined });
    const withSnapshot = await durablePawlContender.open(folder);
    durablePawlContender.forgetSnapshot?.(folder);
    const without = await durablePawlContender.open(folder);
    expect(without.messages).toBe(withSnapshot.messages);
    // One user message, three events per step, and the answer.
    expect(without.replayed).toBe(3 * steps + 2);
    expect(withSnapshot.replayed).toBeLessThan(3 * steps);
  });

  it('stop the benchmark if a contender is unknown or its stored data is wrong', async () => {
    await expect(run(process.execPath, [child, 'run', 'nobody', '1', folder])).rejects.toThrow(
      "Expected one of raw, pawl, ungoverned, langGraph, langGraphDelta, got 'nobody'",
    );
    await rawAppend.run({ steps, folder, tick: () => undefined });
    await expect(run(process.execPath, [child, 'open', 'raw', '61', folder])).rejects.toThrow(
      'Expected raw to hold 124 messages, found 122',
    );
  });

  it('are not compared by unknown values', () => {
    expect([1, 2].map(toSynchronousLevel)).toEqual(['NORMAL', 'FULL']);
    expect(() => toSynchronousLevel(0)).toThrow('Expected synchronous to be 1 or 2, found 0');
  });
});

describe('the packages that Pawl is compared with', () => {
  it('are outside the workspace and therefore not installed with Pawl', () => {
    const root = join(import.meta.dirname, '..', '..');
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toMatch(
      /checkpoint-sqlite|better-sqlite3/,
    );
    expect(readFileSync(join(root, 'bench', 'peers', 'package-lock.json'), 'utf8')).toContain(
      'checkpoint-sqlite',
    );
  });
});

describe('targets of the durable benchmark', () => {
  it('are judged by medians of measured values only', () => {
    const ours = createDurableTestResult([createDurableTestRow('raw'), createDurableTestRow('pawl')]);
    expect(listDurableAims(ours).every(({ met }) => met)).toBe(true);
    expect(listDurableAims(ours).some(({ aim }) => aim.includes('LangGraph'))).toBe(false);
    const all = createDurableTestResult([
      createDurableTestRow('raw'),
      createDurableTestRow('pawl'),
      createDurableTestRow('langGraph'),
    ]);
    expect(listDurableAims(all).filter(({ aim }) => aim.includes('LangGraph'))).toMatchObject([
      { atLeast: 20, measured: 25, met: true },
      { atLeast: 300, measured: 250, met: false },
    ]);
  });

  it('are missed by a step that grows, is too large or takes too long', () => {
    const slow = {
      times: createConstantSummary(2.1),
      lateByEarly: createConstantSummary(1.3),
      ownBytesPerStep: 2_100,
      stepsPerSecond: 500,
    };
    const judged = listDurableAims(
      createDurableTestResult([createDurableTestRow('raw'), { ...createDurableTestRow('pawl'), ...slow }]),
    );
    expect(judged.map(({ met }) => met)).toEqual([false, false, false, true, false]);
  });

  it('are printed below the tables, missed targets first', () => {
    const all = createDurableTestResult([
      createDurableTestRow('raw'),
      createDurableTestRow('pawl'),
      createDurableTestRow('langGraph'),
    ]);
    const lines = formatDurableReport({ ...all, inMemory: true }, listDurableAims(all)).split('\n');
    expect(lines).toContain(
      'MISSED  Pawl: at least 300 times as small as LangGraph.js, 1,000 steps; measured 250',
    );
    expect(lines).toContain('The folder for temporary files is in memory: set TMPDIR to a folder on a disk.');
    const report = formatDurableReport(all, []);
    expect(report).not.toMatch(/in memory|is busy/);
    const busy = formatDurableReport({ ...all, environment: { ...all.environment, load: 1.1 } }, []);
    expect(busy).toContain('The machine is busy: the times below are unreliable.');
  });
});

describe('node bench/durable.ts', () => {
  it('prints the documented shape with --quick --json', async () => {
    const { stdout } = await run(process.execPath, [bench, '--quick', '--json']);
    const { lengths, aims: judged, ...rest } = JSON.parse(stdout) as DurableResult & { aims: object[] };
    expect(Object.keys(rest)).toEqual(['environment', 'inMemory']);
    expect(lengths.map((length) => length.steps)).toEqual([150, 300]);
    for (const { steps, rows, overPawl } of lengths) {
      expect(rows.map(({ name }) => name)).toEqual(['raw append', 'Pawl', 'Pawl, no governor']);
      expect(overPawl.map(({ key }) => key)).toEqual(['raw', 'pawl', 'ungoverned']);
      expect(rows.map(({ synchronous }) => synchronous)).toEqual(['FULL', 'FULL', 'FULL']);
      for (const { times, bytesPerStep, ownBytesPerStep } of rows) {
        expect(times.median).toBeGreaterThan(0);
        expect(ownBytesPerStep).toBeGreaterThan(0);
        expect(ownBytesPerStep).toBeLessThan(bytesPerStep);
      }
      expect(rows[1]?.replayed).toBeLessThan(3 * steps);
    }
    expect(judged).toHaveLength(6);
  });

  it('prints its usage with --help', async () => {
    const { stdout } = await run(process.execPath, [bench, '--help']);
    expect(stdout).toMatch(
      /^Usage: node bench\/durable\.ts \[--quick\] \[--full\] \[--no-peers\] \[--json\]\n/,
    );
  });

  it('exits with 2 and the usage for an unknown option', async () => {
    await expect(run(process.execPath, [bench, '--fast'])).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Usage: node bench/durable.ts'),
    });
  });
});

function createConstantSummary(value: number): { median: number; min: number; max: number } {
  return { median: value, min: value, max: value };
}

function createDurableTestRow(key: DurableContenderKey): DurableRow {
  return {
    key,
    name: key,
    version: null,
    synchronous: 'FULL',
    times: createConstantSummary(1.5),
    seconds: createConstantSummary(1),
    stepsPerSecond: 1_000,
    processorMsPerStep: 0.5,
    earlyMs: 1,
    lateMs: 1,
    lateByEarly: createConstantSummary(1),
    slowestMs: 2,
    sizes: createConstantSummary(2),
    bytes: 1_400_000,
    bytesPerStep: 1_400,
    ownBytesPerStep: 800,
    openMs: createConstantSummary(20),
    openFromStartMs: null,
    replayed: null,
  };
}

function createDurableTestResult(rows: readonly DurableRow[]): DurableResult {
  const environment = { node: 'v24', v8: '13', cpu: 'some', cores: 2, load: 1 };
  const overPawl = rows.map(({ key }) => ({
    key,
    times: createConstantSummary(25),
    sizes: createConstantSummary(250),
  }));
  const contenders = rows.map(({ key }) => key);
  return {
    environment,
    inMemory: false,
    lengths: [{ steps: 1_000, rounds: 1, contenders, rows, overPawl }],
  };
}
