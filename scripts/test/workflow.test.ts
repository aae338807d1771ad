import { readdirSync, readFileSync } from 'node:fs';
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

type IssueForm = {
  readonly body: readonly {
    readonly type: string;
    readonly id?: string;
    readonly attributes: { readonly label?: string; readonly options?: readonly string[] };
  }[];
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

describe('the CI workflow', () => {
  it('runs on three platforms and two Node versions, without stopping at the first failure', () => {
    expect(test.strategy).toEqual({
      'fail-fast': false,
      matrix: { os: ['ubuntu-latest', 'macos-latest', 'windows-latest'], node: [24, 26] },
    });
    expect(test['runs-on']).toBe('${{ matrix.os }}');
    expect(test['timeout-minutes']).toBeLessThanOrEqual(60);
  });

  it('has read-only permissions and is cancelled by a newer commit', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(workflow.concurrency).toMatchObject({ 'cancel-in-progress': true });
  });

  it('runs the contributor commands with the Node version of the matrix', () => {
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

  it('installs system packages on Linux only', () => {
    const step = test.steps.find(({ run }) => run?.includes('apt-get') === true);
    expect(step?.if).toBe("runner.os == 'Linux'");
    expect(step?.run).toContain('bubblewrap redis-server strace tmux');
  });

  it('uses only existing npm scripts', () => {
    const named = [...text.matchAll(/\bnpm (?:run )?([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThanOrEqual(3);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

describe('the issue forms', () => {
  const folder = join(repositoryRoot, '.github/ISSUE_TEMPLATE');
  const forms = readdirSync(folder).filter((name) => name !== 'config.yml');

  it.each(forms)('%s has a name, a description and fields with unique ids', (name) => {
    const form = parse(readFileSync(join(folder, name), 'utf8')) as IssueForm;
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    const fields = form.body.filter(({ type }) => type !== 'markdown');
    expect(fields.length).toBeGreaterThan(2);
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
    for (const { attributes } of fields) expect(attributes.label).toMatch(/^[A-Z]/);
  });

  it('lets a bug report name every package', () => {
    const form = parse(readFileSync(join(folder, 'bug-report.yml'), 'utf8')) as IssueForm;
    const options = form.body.find(({ id }) => id === 'part')?.attributes.options ?? [];
    const names = readdirSync(join(repositoryRoot, 'packages')).map((each) => {
      const path = join(repositoryRoot, 'packages', each, 'package.json');
      return (JSON.parse(readFileSync(path, 'utf8')) as { readonly name: string }).name;
    });
    expect(names.filter((name) => !options.some((option) => option.split(' ')[0] === name))).toEqual([]);
  });
});

describe('the scripts of every package.json', () => {
  it.each(['package.json', 'packages/dashboard/package.json'])('work in cmd.exe and in sh: %s', (path) => {
    const manifest = JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    // Variables before a command, single quotes, and expansions that only sh supports.
    const onlySh = /(?:^|&& )\w+=|['$`;]|\brm\b|\bcp\b|\/dev\//;
    expect(Object.entries(manifest.scripts).filter(([, line]) => onlySh.test(line))).toEqual([]);
  });
});
