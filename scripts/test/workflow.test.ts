import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repositoryRoot } from '../source-files.ts';

type WorkflowStep = {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly with?: object;
};

const text = readFileSync(join(repositoryRoot, '.github/workflows/ci.yml'), 'utf8');
const workflow = parse(text) as {
  readonly permissions: object;
  readonly concurrency: object;
  readonly jobs: {
    readonly test: {
      readonly 'runs-on': string;
      readonly 'timeout-minutes': number;
      readonly strategy: { readonly 'fail-fast': boolean; readonly matrix: object };
      readonly steps: readonly WorkflowStep[];
    };
  };
};
const { test } = workflow.jobs;
const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

describe('the workflow for CI', () => {
  it('runs on three platforms and two versions of Node, each to its end', () => {
    expect(test.strategy).toEqual({
      'fail-fast': false,
      matrix: { os: ['ubuntu-latest', 'macos-latest', 'windows-latest'], node: [24, 26] },
    });
    expect(test['runs-on']).toBe('${{ matrix.os }}');
    expect(test['timeout-minutes']).toBeLessThanOrEqual(60);
  });

  it('may only read, and is replaced by the run of a newer commit', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(workflow.concurrency).toMatchObject({ 'cancel-in-progress': true });
  });

  it('runs what a contributor runs, with the Node of the matrix', () => {
    expect(test.steps.map(({ uses, run }) => uses ?? run?.split('\n')[0])).toEqual([
      'actions/checkout@v5',
      'actions/setup-node@v5',
      'npm start',
      'npm run check',
      'sudo apt-get update',
      'npm test',
    ]);
    expect(test.steps[1]?.with).toEqual({ 'node-version': '${{ matrix.node }}' });
  });

  it('installs system packages on Linux alone', () => {
    const step = test.steps.find(({ run }) => run?.includes('apt-get') === true);
    expect(step?.if).toBe("runner.os == 'Linux'");
    expect(step?.run).toContain('bubblewrap redis-server strace tmux');
  });

  it('names only scripts that there are', () => {
    const named = [...text.matchAll(/\bnpm (?:run )?([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThanOrEqual(3);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

describe('the scripts of every package.json', () => {
  it.each(['package.json', 'packages/dashboard/package.json'])('run in cmd.exe as in sh: %s', (path) => {
    const manifest = JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    // A variable before a command, single quotes, and what only sh expands.
    const onlySh = /(?:^|&& )\w+=|['$`;]|\brm\b|\bcp\b|\/dev\//;
    expect(Object.entries(manifest.scripts).filter(([, line]) => onlySh.test(line))).toEqual([]);
  });
});
