import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { AuditVerdict } from '@pawl/governor/audit';
import type { RecordedRun } from '@pawl/governor/traces';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditFiles, type AuditOptions } from '../../src/commands/audit/action.ts';
import { UsageError } from '../../src/output/exit-codes.ts';
import { captureIo } from '../capture-io.ts';

/** Returns the verdicts that the run's `task` names: none, advice after the second step, or a stop after the third. */
function judgeByTask({ task, steps }: RecordedRun): readonly AuditVerdict[] {
  const verdict = (severity: AuditVerdict['severity'], rule: string, index: number): AuditVerdict => ({
    step: steps[index]?.i ?? 0,
    severity,
    rule,
    reason: `the call came ${index} times`,
    advice: 'Do something else.',
    evidence: steps.slice(1, index + 1).map(({ i }) => i),
    counterEvidence: [],
  });
  const advise = verdict('advise', 'again', 2);
  if (task === 'fine') return [];
  return task === 'warned' ? [advise] : [advise, verdict('stop', 'repeated-call', 3)];
}

type RunStep = RecordedRun['steps'][number];

function createRecordedRun(id: string, task: string, more: Partial<RunStep> = {}): RecordedRun {
  const call = (i: number): RunStep => ({
    i,
    role: 'assistant',
    tool: 'look',
    args: { city: 'Ghent' },
    result: 'rain',
    tokens: 1_000,
    ...more,
  });
  return { id, task, steps: [{ i: 0, role: 'user', text: 'Hello' }, ...[1, 2, 3, 4, 5].map(call)] };
}

function toJsonLines(...runs: readonly unknown[]): string {
  return runs.map((each) => JSON.stringify(each)).join('\n');
}

async function runAudit(
  input: string,
  options: Partial<AuditOptions> = {},
  files: readonly string[] = ['-'],
) {
  const captured = captureIo(input);
  const code = await auditFiles(files, { format: 'report', ...options }, captured.io, judgeByTask);
  return { code, stdout: captured.out(), stderr: captured.err() };
}

const threeRuns = toJsonLines(
  createRecordedRun('a', 'fine'),
  createRecordedRun('b', 'warned'),
  createRecordedRun('c', 'stuck'),
);

describe('pawl audit', () => {
  it('prints the totals, the groups, a table of the runs, and the evidence for each stuck run', async () => {
    const { code, stdout, stderr } = await runAudit(threeRuns);
    expect(code).toBe(3);
    expect(stderr).toBe('');
    expect(stdout).toMatchInlineSnapshot(`
      "3 runs: 1 stuck, 1 warned, 1 fine; 15 steps, 15k tokens
      wasted after the verdicts that end a run: 2 steps, 2,000 tokens (13 % of the tokens)

      By rule
        rule           stuck runs  wasted tokens
        repeated-call           1          2,000

      By tool
        tool  stuck runs  wasted tokens
        look           1          2,000

      run                                     steps  verdict  rule                 since  cost after
      c                                           5  stop     repeated-call            1  2 steps, 2,000 tokens
      b                                           5  advise   again                    1  3 steps, 3,000 tokens
      a                                           5  ok

      c
        repeated-call: stop after step 3, stuck since step 1
        the call came 3 times.
        advice: Do something else.
          step  tool  arguments                                            outcome
             1  look  {"city":"Ghent"}                                     rain
             2  look  {"city":"Ghent"}                                     rain
             3  look  {"city":"Ghent"}                                     rain
        from step 1 on: 5 steps, 5,000 tokens; after the verdict: 2 steps, 2,000 tokens
      "
    `);
  });

  it('says of a run that was read in part that its state is unknown, with the file and the line', async () => {
    const run = createRecordedRun('a', 'fine') as { readonly steps: readonly unknown[] };
    const steps = [...run.steps, { role: 'future', tool: 'bash', args: { command: 'ls' } }];
    const { code, stdout, stderr } = await runAudit(toJsonLines({ ...run, steps }));
    expect(code).toBe(1);
    expect(stdout).toContain('1 run: 0 stuck, 0 warned, 0 fine, 1 unknown');
    expect(stdout).toMatch(/^a +5 {2}unknown$/m);
    expect(stderr).toContain(':1: steps[6]: expected the role assistant or user, got future');
    expect((await runAudit(threeRuns)).stdout).not.toContain('unknown');
  });

  it('exits with 0 if no run is stuck, even if some are warned', async () => {
    expect(
      await runAudit(toJsonLines(createRecordedRun('a', 'fine'), createRecordedRun('b', 'warned'))),
    ).toMatchObject({ code: 0 });
  });

  it('prints the cost at the given prices per 1M tokens', async () => {
    const stuck = toJsonLines(createRecordedRun('c', 'stuck', { inputTokens: 10_000 }));
    const { stdout } = await runAudit(stuck, { priceIn: '3', priceOut: '15' });
    expect(stdout).toContain('1 run: 1 stuck, 0 warned, 0 fine; 5 steps, 5,000 tokens for 0.2250');
    expect(stdout).toContain('after the verdicts that end a run: 2 steps, 2,000 tokens for 0.0900');
  });

  it('reports runs whose input cost is unknown', async () => {
    const { stdout } = await runAudit(threeRuns, { priceIn: '3', priceOut: '15' });
    expect(stdout).toContain(
      '3 runs without input tokens in the trace: their cost covers output tokens only',
    );
  });

  it('neutralizes control characters in text from a trace', async () => {
    const hostile = '\u001b[2J\u001b]0;title\u0007\u202egnp.exe\nnext\r\tline';
    const stuck = createRecordedRun(hostile, 'stuck', {
      tool: hostile,
      args: { path: hostile },
      result: hostile,
    });
    const { stdout } = await runAudit(toJsonLines(stuck));
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/u);
    expect(stdout).toContain('\\x1b[2J');
  });

  it('truncates every table row to the terminal width', async () => {
    const stuck = createRecordedRun('id'.repeat(300), 'stuck', {
      tool: 'tool'.repeat(50),
      result: '雨'.repeat(500),
    });
    const captured = captureIo(toJsonLines(stuck));
    Object.assign(captured.io.stdout, { columns: 80 });
    await auditFiles(['-'], { format: 'report' }, captured.io, judgeByTask);
    const rows = captured
      .out()
      .split('\n')
      .filter((row) => row.includes('…'));
    expect(rows.length).toBeGreaterThan(3);
    for (const row of rows) expect(row.length + row.split('雨').length - 1).toBeLessThanOrEqual(80);
  });

  it('shows the first and last calls of long evidence and counts the others', async () => {
    const steps = Array.from({ length: 40 }, (_, i) => ({
      i,
      role: 'assistant',
      tool: 'look',
      args: {},
      result: 'x',
    }));
    const captured = captureIo(toJsonLines({ id: 'long', steps }));
    const evidence = steps.map(({ i }) => i);
    const decision = { step: 39, severity: 'ask', rule: 'r', reason: 'so', advice: 'stop' } as const;
    const verdict = { ...decision, evidence, counterEvidence: [] };
    expect(await auditFiles(['-'], { format: 'report' }, captured.io, () => [verdict])).toBe(3);
    expect(captured.out()).toContain('and 32 more calls like these');
  });

  it('with --quiet prints the totals and the table only', async () => {
    const { stdout, stderr } = await runAudit(`${threeRuns}\nbroken`, { quiet: true });
    expect(stdout.split('\n')).toHaveLength(9);
    expect(stdout).toContain('1 problem while reading');
    expect(stderr).toBe('');
  });

  it('reads standard input that is a text stream', async () => {
    const captured = captureIo();
    const io = { ...captured.io, stdin: Readable.from([threeRuns]) };
    expect(await auditFiles(['-'], { format: 'verdicts' }, io, judgeByTask)).toBe(3);
  });
});

/** A stuck run that wastes this many tokens: the two steps after the verdict. */
function createStuckRun(id: string, wastedTokens: number, more: Partial<RunStep> = {}): RecordedRun {
  return createRecordedRun(id, 'stuck', { tokens: wastedTokens / 2, ...more });
}

/** Returns the ids in the table of the report, in order. */
function listReportedRuns(stdout: string): readonly string[] {
  const lines = stdout.split('\n');
  const head = lines.findIndex((line) => line.startsWith('run '));
  const end = lines.findIndex((line, index) => index > head && !/^\S+ .* (?:stop|advise|ok)\b/.test(line));
  return lines.slice(head + 1, end).map((line) => line.split(' ')[0] ?? '');
}

describe('the ranking of pawl audit', () => {
  const mixed = toJsonLines(
    createRecordedRun('fine', 'fine'),
    createStuckRun('small', 10),
    createRecordedRun('warned', 'warned'),
    createStuckRun('large', 1_000),
    createStuckRun('middle', 100),
  );

  it('lists stuck runs first, by the tokens they wasted, then warned and fine runs', async () => {
    const { stdout } = await runAudit(mixed);
    expect(listReportedRuns(stdout)).toEqual(['large', 'middle', 'small', 'warned', 'fine']);
    expect(stdout).not.toContain('--top all');
  });

  it('ranks by money if prices are given', async () => {
    const runs = toJsonLines(
      createStuckRun('output', 100),
      createStuckRun('input', 10, { inputTokens: 1_000 }),
    );
    expect(listReportedRuns((await runAudit(runs)).stdout)).toEqual(['output', 'input']);
    const { stdout } = await runAudit(runs, { priceIn: '3', priceOut: '15' });
    expect(listReportedRuns(stdout)).toEqual(['input', 'output']);
    expect(stdout).toMatch(/rule +stuck runs +wasted tokens +wasted cost\n +repeated-call +2 +110 +0\.0077/);
  });

  it('adds up the input and what of it was cached, and says how many runs record it', async () => {
    const usage = { inputTokens: 1_000, cachedTokens: 600 };
    const recorded = createRecordedRun('recorded', 'fine', usage);
    const { stdout } = await runAudit(toJsonLines(recorded, createRecordedRun('plain', 'fine')));
    expect(stdout).toContain('input: 5,000 tokens, 3,000 of them cached (recorded by 1 of the runs)');
    expect((await runAudit(toJsonLines(createRecordedRun('plain', 'fine')))).stdout).not.toContain('input:');
  });

  it('keeps the order of reading among equals', async () => {
    const runs = Array.from({ length: 30 }, (_, index) => createStuckRun(`run-${index}`, 10));
    const { stdout } = await runAudit(toJsonLines(...runs), { top: '3' });
    expect(listReportedRuns(stdout)).toEqual(['run-0', 'run-1', 'run-2']);
  });

  it('lists ten runs by default and says how to list the others', async () => {
    const runs = Array.from({ length: 25 }, (_, index) => createStuckRun(`run-${index}`, 10 + 2 * index));
    const { stdout } = await runAudit(toJsonLines(...runs, createRecordedRun('fine', 'fine')));
    expect(listReportedRuns(stdout)).toEqual(Array.from({ length: 10 }, (_, index) => `run-${24 - index}`));
    expect(stdout).toContain('16 more runs (15 stuck): --top all lists them');
    expect(stdout.match(/stuck since step/g)).toHaveLength(10);
  });

  it('lists as many runs as --top says, or all', async () => {
    const two = await runAudit(mixed, { top: '2' });
    expect(listReportedRuns(two.stdout)).toEqual(['large', 'middle']);
    expect(two.stdout).toContain('3 more runs (1 stuck): --top all lists them');
    const all = await runAudit(mixed, { top: 'all' });
    expect(listReportedRuns(all.stdout)).toHaveLength(5);
    expect(all.stdout).not.toContain('more run');
  });

  it('with --only stuck lists only stuck runs', async () => {
    const { code, stdout } = await runAudit(mixed, { only: 'stuck', top: '2' });
    expect(code).toBe(3);
    expect(listReportedRuns(stdout)).toEqual(['large', 'middle']);
    expect(stdout).toContain('5 runs: 3 stuck, 1 warned, 1 fine');
    expect(stdout).toContain('1 more run (1 stuck): --top all lists them');
  });

  it('with --only stuck filters the runs of the other formats, and not the totals', async () => {
    const json = JSON.parse((await runAudit(mixed, { only: 'stuck', format: 'json' })).stdout);
    expect(json.runs.map(({ id }: { id: string }) => id)).toEqual(['small', 'large', 'middle']);
    expect(json.totals.runs).toBe(5);
    const { stdout } = await runAudit(mixed, { only: 'stuck', format: 'verdicts' });
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  it('with --only stuck says that there are none', async () => {
    const healthy = toJsonLines(createRecordedRun('a', 'fine'), createRecordedRun('b', 'warned'));
    const { code, stdout } = await runAudit(healthy, { only: 'stuck' });
    expect(code).toBe(0);
    expect(stdout).toBe('2 runs: 0 stuck, 1 warned, 1 fine; 10 steps, 10k tokens\n\nNo stuck runs.\n');
    const json = JSON.parse((await runAudit(healthy, { only: 'stuck', format: 'json' })).stdout);
    expect(json).toMatchObject({ runs: [], totals: { runs: 2 } });
  });
});

function createWaste(tokens: number, steps: number): object {
  return { tokens, steps, inputTokens: null, cachedTokens: null, money: null };
}

describe('the groups of pawl audit', () => {
  it('add up the stuck runs by rule, tool, source and day', async () => {
    const at = Date.UTC(2026, 2, 1, 23);
    const runs = toJsonLines(
      { ...createStuckRun('a', 10, { at }), source: 'codex' },
      { ...createStuckRun('b', 100, { tool: 'bash', at }), source: 'codex' },
      { ...createStuckRun('c', 30, { at: at + 7_200_000 }), source: 'claude-code' },
      { ...createRecordedRun('d', 'fine', { at }), source: 'claude-code' },
    );
    const { groups } = JSON.parse((await runAudit(runs, { format: 'json' })).stdout);
    expect(groups).toEqual({
      rules: [{ name: 'repeated-call', stuck: 3, wasted: createWaste(140, 6) }],
      tools: [
        { name: 'bash', stuck: 1, wasted: createWaste(100, 2) },
        { name: 'look', stuck: 2, wasted: createWaste(40, 4) },
      ],
      sources: [
        { name: 'codex', runs: 2, stuck: 2, wasted: createWaste(110, 4) },
        { name: 'claude-code', runs: 2, stuck: 1, wasted: createWaste(30, 2) },
      ],
      days: [
        { day: '2026-03-01', runs: 3, stuck: 2, tokens: 5_275, wastedTokens: 110 },
        { day: '2026-03-02', runs: 1, stuck: 1, tokens: 75, wastedTokens: 30 },
      ],
    });
  });

  it('ignore times at which no agent ran', async () => {
    const runs = toJsonLines(...[1, -5, 8e15, 1e300].map((at) => createStuckRun(`at-${at}`, 10, { at })));
    const { groups } = JSON.parse((await runAudit(runs, { format: 'json' })).stdout);
    expect(groups.days).toEqual([]);
  });

  it('stay bounded if every run has its own tool', async () => {
    const runs = Array.from({ length: 1_200 }, (_, index) =>
      createStuckRun(`run-${index}`, 10, { tool: `tool-${index}` }),
    );
    const { groups } = JSON.parse((await runAudit(toJsonLines(...runs), { format: 'json' })).stdout);
    expect(groups.tools).toHaveLength(1_001);
    expect(groups.tools[0]).toMatchObject({ name: '(other)', stuck: 200 });
  });

  it('name replies without a call', async () => {
    const text = {
      ...createStuckRun('a', 10),
      steps: [0, 1, 2, 3, 4].map((i) => ({ i, role: 'assistant', text: 'So.' })),
    };
    const { stdout } = await runAudit(toJsonLines(text));
    expect(stdout).toMatch(/\(no tool\) +1 /);
  });
});

describe('pawl audit --format verdicts', () => {
  it('prints one line per run with its verdicts', async () => {
    const { code, stdout } = await runAudit(threeRuns, { format: 'verdicts' });
    expect(code).toBe(3);
    expect(stdout).toBe(
      [
        '{"id":"a","verdicts":[]}',
        '{"id":"b","verdicts":[{"step":2,"level":"advise","rule":"again"}]}',
        '{"id":"c","verdicts":[{"step":2,"level":"advise","rule":"again"},{"step":3,"level":"stop","rule":"repeated-call"}]}',
        '',
      ].join('\n'),
    );
  });

  it('judges with the rules of the governor by default', async () => {
    const captured = captureIo(toJsonLines(createRecordedRun('c', 'stuck')));
    expect(await auditFiles(['-'], { format: 'verdicts' }, captured.io)).toBe(3);
    expect(JSON.parse(captured.out())).toMatchObject({ id: 'c' });
  });
});

describe('pawl audit --preset', () => {
  it.each([
    ['pawl', ['repeated-call advise 3', 'repeated-call stop 4']],
    ['nexora', []],
    ['savant', ['repeated_tool stop 3']],
  ])('judges by the rules of %s', async (preset, expected) => {
    const captured = captureIo(toJsonLines(createRecordedRun('c', 'stuck')));
    const code = await auditFiles(['-'], { format: 'verdicts', preset }, captured.io);
    const { verdicts } = JSON.parse(captured.out()) as {
      verdicts: { rule: string; level: string; step: number }[];
    };
    expect(verdicts.map(({ rule, level, step }) => `${rule} ${level} ${step}`)).toEqual(expected);
    expect(code).toBe(expected.some((line) => line.includes('stop')) ? 3 : 0);
  });

  it('lists the presets if the name is unknown', async () => {
    const captured = captureIo(threeRuns);
    await expect(auditFiles(['-'], { format: 'report', preset: 'nexra' }, captured.io)).rejects.toThrow(
      new UsageError(
        'Unknown preset "nexra". Did you mean nexora? Available: pawl, nexora, nexora-lenient, savant.',
      ),
    );
  });
});

describe('pawl audit --format json', () => {
  it('prints one object with the runs, the totals and the problems', async () => {
    const { code, stdout, stderr } = await runAudit(`${threeRuns}\n{"id":`, {
      format: 'json',
      priceOut: '10',
    });
    const report = JSON.parse(stdout);
    expect([code, stderr]).toEqual([3, '']);
    expect(Object.keys(report)).toEqual(['runs', 'totals', 'problems', 'groups', 'folders']);
    expect(report.runs.map(({ id, stuck }: { id: string; stuck: boolean }) => [id, stuck])).toEqual([
      ['a', false],
      ['b', false],
      ['c', true],
    ]);
    expect(report.runs[0].finding).toBeNull();
    expect(report.runs[2].finding).toMatchObject({
      rule: 'repeated-call',
      severity: 'stop',
      step: 3,
      since: 1,
      advice: 'Do something else.',
      spent: { steps: 5, tokens: 5_000, inputTokens: null, cachedTokens: null, money: 0.05 },
      after: { steps: 2, tokens: 2_000, inputTokens: null, cachedTokens: null, money: 0.02 },
    });
    expect(report.runs[2].finding.proof[0]).toEqual({
      step: 1,
      tool: 'look',
      args: '{"city":"Ghent"}',
      result: 'rain',
      error: false,
    });
    expect(report.totals).toMatchObject({ runs: 3, stuck: 1, warned: 1, problems: 1 });
    expect(report.problems).toMatchObject([{ file: 'standard input', line: 4 }]);
  });
});

describe('unreadable input of pawl audit', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-audit-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is reported in one line each with its location and does not change the exit code', async () => {
    const path = join(folder, 'runs.jsonl');
    await writeFile(path, `${toJsonLines(createRecordedRun('a', 'fine'))}\n{"x":1}\n[2,\n`);
    const { code, stdout, stderr } = await runAudit('', {}, [path]);
    expect(code).toBe(0);
    expect(stdout).toContain('2 problems while reading');
    expect(stderr.split('\n')).toEqual([
      `pawl: ${path}:2: no run of a known format`,
      expect.stringMatching(/^pawl: .*:3: the last line is incomplete/),
      '',
    ]);
  });

  it('is only counted after the first twenty problems', async () => {
    const { stderr } = await runAudit(`${toJsonLines(createRecordedRun('a', 'fine'))}\n${'7\n'.repeat(50)}`);
    expect(stderr.split('\n')).toHaveLength(22);
    expect(stderr).toContain('pawl: 30 more problems not shown\n');
  });

  it.each([[['/no/such/file'], 'No such file or folder: "/no/such/file". Check the path.']])(
    'is a usage error if the files are %j',
    async (files, message) => {
      await expect(runAudit('', {}, files)).rejects.toThrow(new UsageError(message));
    },
  );

  it.each(['', '{"a":1}', 'hello', '[]'])('is a usage error if it contains no run: %j', async (input) => {
    await expect(runAudit(input)).rejects.toThrow(
      /^No recorded runs in "-" \(1 problem while reading\)\. See docs/,
    );
  });

  it('is a usage error if a folder is empty', async () => {
    await expect(runAudit('', { format: 'json' }, [folder])).rejects.toThrow(
      new UsageError(
        `No recorded runs in ${JSON.stringify(folder)}. See docs/trace-formats.md for the supported formats.`,
      ),
    );
  });

  it.each([
    [{ format: 'jsn' }, 'Unknown format "jsn". Did you mean json? Available: report, json, verdicts.'],
    [{ priceIn: 'cheap' }, '--price-in must be a number of at least 0, such as 2.5, got "cheap".'],
    [{ priceOut: '-1' }, '--price-out must be a number of at least 0, such as 2.5, got "-1".'],
    [{ only: 'stick' }, 'Unknown selection "stick". Did you mean stuck? Available: stuck.'],
    [{ top: '0' }, '--top must be a whole number of at least 1, or all, got "0".'],
    [{ top: 'abc' }, '--top must be a whole number of at least 1, or all, got "abc".'],
    [{ top: '1.5' }, '--top must be a whole number of at least 1, or all, got "1.5".'],
    [{ top: '3', format: 'json' }, '--top applies to the report and to --html, not to the format json.'],
    [{ priceOut: ' ' }, '--price-out must be a number of at least 0, such as 2.5, got " ".'],
  ])('is a usage error with the options %j', async (options, message) => {
    await expect(runAudit(threeRuns, options)).rejects.toThrow(new UsageError(message));
  });
});

describe('an interrupted audit', () => {
  it('exits with 130 if the user cancels it', async () => {
    const stop = new AbortController();
    stop.abort();
    expect(await runAudit(threeRuns, { signal: stop.signal })).toMatchObject({ code: 130, stdout: '' });
  });

  it('ends without an error if the reader closes the output', async () => {
    const captured = captureIo(threeRuns);
    captured.io.stdout.destroy();
    expect(await auditFiles(['-'], { format: 'verdicts' }, captured.io, judgeByTask)).toBeTypeOf('number');
  });
});
