import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../source-files.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-summary-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

type TestFile = { readonly status: string; readonly tests: readonly string[] };

function runSummary(
  files: readonly TestFile[],
  ...flags: readonly string[]
): { line: string; exitCode: number | null } {
  const testResults = files.map(({ status, tests }) => ({
    name: 'some.test.ts',
    status,
    assertionResults: tests.map((each) => ({ status: each, fullName: 'a test' })),
  }));
  const { stdout, exitCode } = summarizeResults(testResults, ...flags);
  return { line: stdout, exitCode };
}

function summarizeResults(
  testResults: readonly object[],
  ...flags: readonly string[]
): { stdout: string; stderr: string; exitCode: number | null } {
  const results = join(folder, 'results.json');
  writeFileSync(results, JSON.stringify({ testResults }));
  const run = spawnSync(process.execPath, ['scripts/test-summary.mjs', ...flags, results], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  return { stdout: run.stdout, stderr: run.stderr, exitCode: run.status };
}

describe('the test summary', () => {
  it('counts and succeeds if every test ran and passed', () => {
    const files = [
      { status: 'passed', tests: ['passed', 'passed'] },
      { status: 'passed', tests: ['passed'] },
    ];
    expect(runSummary(files)).toEqual({ line: '3 passed, 0 failed, 0 skipped\n', exitCode: 0 });
  });

  it('fails when a test failed', () => {
    const files = [{ status: 'failed', tests: ['passed', 'failed'] }];
    expect(runSummary(files)).toEqual({ line: '1 passed, 1 failed, 0 skipped\n', exitCode: 1 });
  });

  it('lists the failed tests and the files that failed to load, with the first line of the reason', () => {
    const passed = { status: 'passed', fullName: 'adds numbers' };
    const failed = {
      status: 'failed',
      fullName: 'divides numbers',
      failureMessages: ['Error: expected 2\n    at sum'],
    };
    const { stdout, stderr } = summarizeResults([
      { name: 'sum.test.ts', status: 'failed', assertionResults: [passed, failed] },
      { name: 'broken.test.ts', status: 'failed', message: 'SyntaxError: no', assertionResults: [] },
    ]);
    expect(stdout).toBe('1 passed, 2 failed, 0 skipped\n');
    expect(stderr).toBe(
      'failed: sum.test.ts: divides numbers\n    Error: expected 2\nfailed: broken.test.ts\n    SyntaxError: no\n',
    );
  });

  it('fails if a test is skipped, pending or todo', () => {
    const files = [{ status: 'passed', tests: ['passed', 'skipped', 'pending', 'todo'] }];
    expect(runSummary(files)).toEqual({ line: '1 passed, 0 failed, 3 skipped\n', exitCode: 1 });
  });

  it('allows skips on request, and never failures', () => {
    const skipped = [{ status: 'passed', tests: ['passed', 'skipped'] }];
    expect(runSummary(skipped, '--allow-skips')).toEqual({
      line: '1 passed, 0 failed, 1 skipped\n',
      exitCode: 0,
    });
    const failed = [{ status: 'failed', tests: ['passed', 'skipped', 'failed'] }];
    expect(runSummary(failed, '--allow-skips').exitCode).toBe(1);
  });

  it('adds up several files', () => {
    const results = join(folder, 'both.json');
    const testResults = [{ status: 'passed', assertionResults: [{ status: 'passed' }] }];
    writeFileSync(results, JSON.stringify({ testResults }));
    const run = spawnSync(process.execPath, ['scripts/test-summary.mjs', results, results], {
      cwd: repositoryRoot,
      encoding: 'utf8',
    });
    expect(run.stdout).toBe('2 passed, 0 failed, 0 skipped\n');
  });

  it('counts a file that fails to load as failed', () => {
    const files = [
      { status: 'failed', tests: [] },
      { status: 'passed', tests: ['passed'] },
    ];
    expect(runSummary(files)).toEqual({ line: '1 passed, 1 failed, 0 skipped\n', exitCode: 1 });
  });

  it('fails with one line if there are no results', () => {
    const run = spawnSync(process.execPath, ['scripts/test-summary.mjs', join(folder, 'none.json')], {
      cwd: repositoryRoot,
      encoding: 'utf8',
    });
    expect(run.stderr).toMatch(/^Expected the results of vitest as JSON files, got .*none\.json\.\n$/);
    expect(run.status).toBe(1);
  });

  it('fails when no test ran', () => {
    expect(runSummary([])).toEqual({ line: '0 passed, 0 failed, 0 skipped\n', exitCode: 1 });
  });
});
