import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { RecordedRun, RecordedStep } from '@pawl/governor/traces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../run.ts', import.meta.url));

type CommandResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs the command as a user does. */
function runEvalCommand(...args: readonly string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

type StepWork = Omit<RecordedStep, 'i' | 'role'>;

function createTestRun(id: string, success: boolean | null, work: readonly StepWork[]): RecordedRun {
  const source = id.slice(0, id.indexOf('-'));
  const steps = work.map((each, index): RecordedStep => ({ i: index + 1, role: 'assistant', ...each }));
  return { id, source, success, steps: [{ i: 0, role: 'user', text: 'Do it.' }, ...steps] };
}

const repeatWork = (count: number, work: (index: number) => StepWork): StepWork[] =>
  Array.from({ length: count }, (_, index) => work(index));
const createReadStep = (index: number): StepWork => ({
  tool: 'read',
  args: { path: `${index}` },
  result: `text ${index}`,
});
const createSameStep = (): StepWork => ({ tool: 'read', args: { path: 'a' }, result: 'text' });
const createFailingStep = (): StepWork => ({
  tool: 'edit',
  args: { path: 'a', old: 'x' },
  result: 'not found',
  error: true,
});

/*
 * Under pawl, four identical calls end a run, and the second identical failure gets advice. Under nexora, three identical
 * errors get advice, and so do three more; then the run ends.
 */
const alpha = [
  createTestRun('alpha-fine', true, repeatWork(6, createReadStep)),
  createTestRun('alpha-fumbling', true, [
    ...repeatWork(2, createFailingStep),
    ...repeatWork(4, createReadStep),
  ]),
  createTestRun('alpha-stuck', false, repeatWork(10, createFailingStep)),
  createTestRun('alpha-lost', false, repeatWork(10, createReadStep)),
];
const beta = [
  createTestRun('beta-slow', true, [...repeatWork(4, createSameStep), ...repeatWork(2, createReadStep)]),
  createTestRun('beta-unknown', null, repeatWork(9, createSameStep)),
  createTestRun('beta-late', false, repeatWork(4, createFailingStep)),
];
const judged = [
  { id: 'alpha-fine', stuck: false },
  { id: 'alpha-stuck', stuck: true, from_step: 3 },
  { id: 'alpha-lost', stuck: true, from_step: 5 },
  { id: 'beta-slow', stuck: false, from_step: null },
  { id: 'beta-late', stuck: true, from_step: 4 },
];

const toJsonLines = (runs: readonly RecordedRun[]): string =>
  runs.map((each) => JSON.stringify(each)).join('\n');

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eval-'));
  const [first, ...rest] = alpha.map((each) => JSON.stringify(each));
  const faulty = ['{"id": "cut o', '', '{"id": "no steps"}', '[]', '{"id": "x", "steps": [null]}'];
  await writeFile(join(folder, 'alpha.jsonl'), [first, ...faulty, ...rest].join('\n'));
  await writeFile(join(folder, 'beta.jsonl.gz'), gzipSync(toJsonLines(beta)));
  await writeFile(join(folder, 'judged.json'), JSON.stringify(judged));
  await writeFile(join(folder, 'notes.txt'), 'nothing to do with it');
});

afterAll(() => rm(folder, { recursive: true }));

type ScoreRow = Readonly<Record<string, number | string | object | null>>;
type EvalReport = {
  readonly tables: readonly {
    readonly title: string;
    readonly runs: number;
    readonly rows: readonly ScoreRow[];
  }[];
  readonly leaveOneOut: {
    readonly families: readonly {
      readonly family: string;
      readonly runs: number;
      readonly shipped: ScoreRow;
    }[];
    readonly fitted: ScoreRow;
    readonly shipped: ScoreRow;
  } | null;
  readonly payoffs: readonly { readonly rule: string; readonly families: readonly string[] }[] | null;
};

/** The scores of a row, without their intervals. */
const stripIntervals = (row: ScoreRow): ScoreRow =>
  Object.fromEntries(Object.entries(row).filter(([key]) => key !== 'intervals'));

async function readEvalReport(...args: readonly string[]): Promise<EvalReport> {
  const { code, stdout } = await runEvalCommand('--data', folder, '--json', ...args);
  expect(code).toBe(0);
  return JSON.parse(stdout) as EvalReport;
}

const third = 100 / 3;

/** Of three solved runs one is ended before its last new step, and two get a verdict; of 24 steps in the unsolved ones six come after the end. */
const pawlScores = {
  name: 'pawl',
  harm: third,
  net: third,
  noise: 2 * third,
  caught: third,
  saved: 25,
  told: 2 * third,
  wrong: 50,
};

/** No solved run gets a verdict; of the 24 steps four come after the end. */
const nexoraScores = {
  name: 'nexora',
  harm: 0,
  net: 0,
  noise: 0,
  caught: third,
  saved: 400 / 24,
  told: 2 * third,
  wrong: 0,
};

function expectCloseScores(scores: ScoreRow): unknown {
  const entries = Object.entries(scores);
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      typeof value === 'number' ? (expect.closeTo(value, 9) as unknown) : value,
    ]),
  );
}

describe('npm run eval', () => {
  it('scores pawl on all runs and on those of each source, plain and gzipped', async () => {
    const { tables, leaveOneOut } = await readEvalReport();
    expect(tables.map(({ title, runs }) => [title, runs])).toEqual([
      ['all', 7],
      ['alpha', 4],
      ['beta', 3],
    ]);
    expect(tables[0]?.rows.map(stripIntervals)).toEqual([expectCloseScores(pawlScores)]);
    expect(tables[1]?.rows.map(stripIntervals)).toEqual([
      { name: 'pawl', harm: 0, net: 0, noise: 50, caught: 50, saved: 30, told: 50, wrong: 0 },
    ]);
    expect(tables[2]?.rows.map(stripIntervals)).toEqual([
      { name: 'pawl', harm: 100, net: 100, noise: 100, caught: 0, saved: 0, told: 100, wrong: 100 },
    ]);
    expect(leaveOneOut).toBeNull();
  });

  it('compares presets, separated by commas or given one by one, each once', async () => {
    for (const args of [
      ['--preset', 'pawl, nexora'],
      ['--preset', 'pawl', '--preset', 'nexora,pawl'],
    ]) {
      const { tables } = await readEvalReport(...args);
      expect(tables[0]?.rows.map(stripIntervals)).toEqual([
        expectCloseScores(pawlScores),
        expectCloseScores(nexoraScores),
      ]);
    }
    const { tables } = await readEvalReport('--preset', 'savant,nexora-lenient');
    expect(tables[0]?.rows).toMatchObject([
      { name: 'savant', harm: 100 },
      { name: 'nexora-lenient', told: third },
    ]);
  });

  it('compares other detectors', async () => {
    const peers = join(folder, 'peers.mjs');
    const hastyDetector = `{ name: 'hasty', create: () => ({ push: (step) => step.i === 1 ? { level: 'stop' } : null }) }`;
    const silent = `{ name: 'silent', create: () => ({ push: () => ({ level: 'observe' }) }) }`;
    await writeFile(peers, `export const peers = [${hastyDetector}, ${silent}];`);
    const { tables } = await readEvalReport('--peers', peers);
    expect(tables[0]?.rows.slice(1).map(stripIntervals)).toEqual([
      expectCloseScores({
        name: 'hasty',
        harm: 100,
        net: 100,
        noise: 100,
        caught: 100,
        saved: (21 / 24) * 100,
        told: third,
        wrong: 100,
      }),
      { name: 'silent', harm: 0, net: 0, noise: 0, caught: 0, saved: 0, told: 0, wrong: 0 },
    ]);
  });

  it('prints tables, with a dash for a measure without cases', async () => {
    const { code, stdout } = await runEvalCommand('--data', folder, '--preset', 'pawl,nexora');
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 9)).toEqual([
      '',
      'all: 7 runs',
      'detector                     harm    net  noise caught  saved   told  wrong',
      'pawl                         33.3   33.3   66.7   33.3   25.0   66.7   50.0',
      expect.stringMatching(/^ {2}from {21} +6\.1 +6\.1 +20\.8 +6\.1 /),
      expect.stringMatching(/^ {2}to {23} +79\.2 +79\.2 +93\.9 +79\.2 /),
      'nexora                        0.0    0.0    0.0   33.3   16.7   66.7    0.0',
      expect.stringMatching(/^ {2}from /),
      expect.stringMatching(/^ {2}to /),
    ]);
    const bare = await mkdtemp(join(tmpdir(), 'eval-'));
    await writeFile(
      join(bare, 'one.jsonl'),
      JSON.stringify(createTestRun('one-run', null, repeatWork(1, createReadStep))),
    );
    const { stdout: one } = await runEvalCommand('--data', bare);
    await rm(bare, { recursive: true });
    expect(one).toContain('all: 1 run\n');
    expect(one).toContain(`pawl${' '.repeat(22)}${'      -'.repeat(7)}`);
  });

  it('fits thresholds on all families but one and scores them on that one', async () => {
    const { tables, leaveOneOut } = await readEvalReport('--leave-one-out');
    expect(leaveOneOut?.families.map(({ family, runs }) => [family, runs])).toEqual([
      ['alpha', 4],
      ['beta', 3],
    ]);
    for (const [index, { shipped }] of (leaveOneOut?.families ?? []).entries())
      expect(tables[index + 1]?.rows).toEqual([{ name: 'pawl', ...shipped }]);
    expect(tables[0]?.rows).toEqual([{ name: 'pawl', ...leaveOneOut?.shipped }]);
    const { stdout } = await runEvalCommand('--data', folder, '--leave-one-out');
    /*
     * In beta, repeating a call four times loses a solved run, and nothing in alpha needs such an end: held out, alpha is
     * scored without any. In alpha nothing is lost by an end.
     */
    expect(stdout).toMatch(/\nheld out +harm .*\nalpha .* fitted: .*repeated-call never/);
    expect(stdout).toMatch(/\nall families, held out .*\n {2}from .*\n {2}to .*\nall families, as shipped /);
  });

  it('fails with --gate if a rule pays off in fewer than two of the families with its verdicts', async () => {
    const narrow = await runEvalCommand('--data', folder, '--gate');
    expect(narrow.code).toBe(1);
    // Only a solved run repeats a call. In alpha, as many solved as unsolved runs repeat a failure.
    expect(narrow.stderr).toContain('The rule repeated-call pays off in no family.\n');
    expect(narrow.stderr).toContain('The rule repeated-failure pays off in beta only.\n');
    expect(narrow.stderr).not.toContain('fruitless-paging');
    const wide = await mkdtemp(join(tmpdir(), 'eval-'));
    const runs = ['one', 'two'].flatMap((family) => [
      createTestRun(`${family}-stuck`, false, repeatWork(5, createSameStep)),
      createTestRun(`${family}-fine`, true, repeatWork(5, createReadStep)),
    ]);
    await writeFile(join(wide, 'runs.jsonl'), toJsonLines(runs));
    const passed = await runEvalCommand('--data', wide, '--gate');
    await rm(wide, { recursive: true });
    expect(passed).toMatchObject({ code: 0, stderr: '' });
    expect(passed.stdout).toMatch(/\nrepeated-call +2 of 2 +families +\d+ steps +\d+ runs +one, two\n/);
  });

  it('reports and skips each line that is not a run', async () => {
    const { code, stderr } = await runEvalCommand('--data', folder);
    expect(code).toBe(0);
    const file = join(folder, 'alpha.jsonl');
    expect(stderr.trimEnd().split('\n')).toEqual(
      [2, 4, 5, 6].map((line) => `${file}:${line} is not a recorded run and is skipped.`),
    );
  });

  it.each([
    [
      ['--preset', 'pawll'],
      'There is no preset "pawll". The presets are pawl, nexora, nexora-lenient, savant.',
    ],
    [['--preset', ''], 'There is no preset "".'],
    [['--data', '/nowhere/at/all'], 'The folder /nowhere/at/all cannot be read.'],
    [['--data', fileURLToPath(new URL('.', import.meta.url))], 'There are no runs in'],
    [['--speed', 'fast'], "Unknown option '--speed'"],
  ])('reports a usage error for %j in one line, and exits with 2', async (args, message) => {
    const { code, stdout, stderr } = await runEvalCommand('--data', folder, ...args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(message)]);
  });

  it('reports an invalid list of judgments in one line', async () => {
    const bare = await mkdtemp(join(tmpdir(), 'eval-'));
    await writeFile(join(bare, 'one.jsonl'), '');
    await writeFile(join(bare, 'judged.json'), '{}');
    const { code, stderr } = await runEvalCommand('--data', bare);
    await rm(bare, { recursive: true });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^[^\n]*judged\.json is not a list of judgments[^\n]*\n$/);
  });

  it('shows its usage with --help or without --data', async () => {
    expect(await runEvalCommand('--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--preset NAMES'),
    });
    expect(await runEvalCommand()).toMatchObject({ code: 2, stderr: expect.stringContaining('--data DIR') });
  });
});
