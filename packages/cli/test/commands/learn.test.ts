import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProfile } from '@pawl/core/profiles';
import type { Rule } from '@pawl/governor';
import { auditRun } from '@pawl/governor/audit';
import { pawlRules, selectRules } from '@pawl/governor/rules';
import type { RecordedRun } from '@pawl/governor/traces';
import { defineTool } from '@pawl/runtime';
import { readProfileFile } from '@pawl/runtime/profiles';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runLearn } from '../../src/commands/learn/action.ts';
import { exitCodes } from '../../src/output/exit-codes.ts';
import {
  toDetectorScore,
  computeScoreRatios,
  findLastWorkStep,
  sumScoreRatios,
  type DetectorScore,
} from '../../src/commands/learn/detector-score.ts';
import { createTrainingRuns, createRun, repeatCall, createProductiveCalls } from './learn/training-runs.ts';
import { captureIo } from '../capture-io.ts';
import {
  saveRun,
  createTestWorkspace,
  successfulRun,
  stuckRun,
  type TestWorkspace,
} from './test-workspace.ts';

let testWorkspace: TestWorkspace;
let tracesFolder = '';
beforeEach(() => {
  testWorkspace = createTestWorkspace();
  tracesFolder = join(testWorkspace.dir, 'runs');
  mkdirSync(tracesFolder);
});
afterEach(() => testWorkspace.close());

function writeRuns(runs: readonly RecordedRun[], name = 'runs.jsonl'): void {
  writeFileSync(join(tracesFolder, name), runs.map((each) => `${JSON.stringify(each)}\n`).join(''));
}

type LearnJson = {
  readonly outcome: string;
  readonly data: Readonly<Record<string, number>>;
  readonly patterns: readonly { readonly words: readonly string[]; readonly lift: number }[];
  readonly needs: Readonly<
    Record<'bySource' | 'byTool' | 'byMode', readonly Readonly<Record<string, unknown>>[]>
  >;
  readonly inForce: Readonly<Record<string, { readonly hits: number; readonly of: number }>>;
  readonly proposal: {
    readonly changes: readonly Readonly<Record<string, unknown>>[];
    readonly earlier: number;
    readonly later: number;
    readonly runs: readonly Readonly<Record<string, unknown>>[];
  } | null;
  readonly heldOut: { readonly by: string; readonly folds: readonly { readonly name: string }[] } | null;
  readonly written: string | null;
};

async function runLearnCommand(...args: readonly string[]): Promise<LearnJson> {
  const [object] = await testWorkspace.json('learn', ...args);
  return object as unknown as LearnJson;
}

/** Scores rules like `npm run eval`. */
function scoreRules(rules: readonly Rule[], runs: readonly RecordedRun[]): DetectorScore {
  return toDetectorScore(
    sumScoreRatios(
      runs.map(({ steps, success, ...rest }) => {
        const scored = {
          success: success ?? null,
          lastStep: steps.length - 1,
          agentSteps: steps.map(({ i }) => i),
          lastWorkStep: findLastWorkStep({ ...rest, steps }),
          judgment: null,
        };
        return computeScoreRatios(scored, auditRun({ ...rest, steps }, rules));
      }),
    ),
  );
}

describe('pawl learn', () => {
  it('prints failure patterns, step counts of solved runs, and a cross-validated table [SAV-55, SAV-66]', async () => {
    writeRuns(createTrainingRuns());
    const { code, out, err } = await testWorkspace.pawl('learn', tracesFolder);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^195 runs of 3 sources: 150 solved, 45 not\n/);
    expect(out).toMatch(/\n {2}list known → list known +45 +45 +[\d.]+ +[\d.]+ +3 +\d+\n/);
    expect(out).toMatch(/Steps in solved runs\n.*\n {2}alpha +50 +7 +8 +8 +15 +11\n/);
    expect(out).toMatch(/\n {2}repeated-call +stop +4 +3 +0 +45 +30 of 3 sources +3 of 3\n/);
    expect(out).toMatch(
      /\n {2}current +0\.0 +0\.0 +0\.0 +100\.0 +45\.5 .*\n {2}proposed +0\.0 +0\.0 +0\.0 +100\.0 +54\.5 /,
    );
    expect(out).toMatch(
      /Held out: selected on all other sources[^\n]*\n[^\n]*\n {2}alpha +0\.0 +0\.0 +0\.0 +100\.0 +54\.5 /,
    );
    expect(out).toContain('harm: 0 of 150; upper bound 1.77 % at 95 % confidence');
    expect(out).toMatch(
      /\n {2}The bound holds for runs like those of alpha, beta, gamma; up to 5\.13 % for \w+ alone\.\n/,
    );
    expect(out).toMatch(/ {2}45 runs earlier, saving 45 steps; 0 later\n$/);
  });

  it('is deterministic, as one JSON object', async () => {
    writeRuns(createTrainingRuns());
    const first = await runLearnCommand(tracesFolder);
    expect(await runLearnCommand(tracesFolder)).toEqual(first);
    expect(first).toMatchObject({ type: 'learn', outcome: 'proposed', written: null });
    expect(first.proposal?.changes).toMatchObject([
      { rule: 'repeated-call', severity: 'stop', from: 4, to: 3 },
    ]);
    expect(first.proposal).toMatchObject({ earlier: 45, later: 0 });
    expect(first.heldOut?.folds.map(({ name }) => name)).toEqual(['alpha', 'beta', 'gamma']);
  });

  it('writes a profile only on request, and one that scores no worse in any column', async () => {
    const runs = createTrainingRuns();
    writeRuns(runs);
    const file = join(testWorkspace.dir, 'learned.yaml');
    await testWorkspace.pawl('learn', tracesFolder);
    expect(existsSync(file)).toBe(false);
    const { code, err } = await testWorkspace.pawl('learn', tracesFolder, '--write', file);
    expect([code, err]).toEqual([0, `Wrote ${file}.\n`]);
    expect(readFileSync(file, 'utf8')).toMatch(/^# Made by pawl learn from 195 runs of 3 sources/);
    const { settings } = await readProfileFile(file);
    expect(settings.governor?.rules).toEqual({ 'repeated-call': { stop: 3 } });
    const [before, after] = [pawlRules, selectRules(settings.governor ?? { preset: 'none', rules: {} })].map(
      (rules) => scoreRules(rules, runs),
    );
    expect(after).toMatchObject({ harm: 0, noise: before?.noise ?? -1, caught: before?.caught ?? -1 });
    expect(after?.saved).toBeGreaterThan(before?.saved ?? Infinity);
  });

  it('overwrites a learned profile but no other file', async () => {
    writeRuns(createTrainingRuns());
    const file = join(testWorkspace.dir, 'learned.yaml');
    for (let time = 0; time < 2; time += 1)
      expect((await testWorkspace.pawl('learn', tracesFolder, '--write', file)).code).toBe(0);
    writeFileSync(file, 'name: mine\n');
    expect(await testWorkspace.pawl('learn', tracesFolder, '--write', file)).toMatchObject({
      code: 2,
      err: expect.stringContaining('the file exists') as unknown,
    });
    expect(readFileSync(file, 'utf8')).toBe('name: mine\n');
    expect((await testWorkspace.pawl('learn', tracesFolder, '--write', file, '--force')).code).toBe(0);
    expect(
      (await testWorkspace.pawl('learn', tracesFolder, '--write', join(testWorkspace.dir, 'learned.txt')))
        .err,
    ).toContain('.yaml');
  });

  it('applies the profile to the folder with --apply, without changing a configuration of the user', async () => {
    writeRuns(createTrainingRuns());
    const file = join(testWorkspace.dir, 'pawl.learned.yaml');
    // The second run learns again and overwrites the profile.
    for (let time = 0; time < 2; time += 1) {
      const { code, err } = await testWorkspace.pawl('learn', tracesFolder, '--apply');
      expect([code, err]).toEqual([0, `Wrote ${file}.\n`]);
    }
    expect((await testWorkspace.pawl('learn', tracesFolder)).err).toContain('stays in effect');
    writeFileSync(join(testWorkspace.dir, 'pawl.config.yaml'), 'testCommand: npm test\n');
    const { code: refused, err } = await testWorkspace.pawl('learn', tracesFolder, '--apply');
    expect(refused).toBe(2);
    expect(err).toContain('add profile: ./pawl.learned.yaml to the configuration');
    expect(readFileSync(join(testWorkspace.dir, 'pawl.config.yaml'), 'utf8')).toBe('testCommand: npm test\n');
  });

  it('reads outcomes from a label file, which override those of the runs', async () => {
    const runs = createTrainingRuns();
    writeRuns(runs.map(({ id, source, steps }) => ({ id, source: source ?? '', steps })));
    expect((await runLearnCommand(tracesFolder)).data).toMatchObject({ runs: 195, solved: 0, unsolved: 0 });
    const labels = join(testWorkspace.dir, 'labels.jsonl');
    const lines = runs.map(({ id, success }) => JSON.stringify({ run: id, resolved: success }));
    writeFileSync(labels, `${lines.join('\n')}\n`);
    expect((await runLearnCommand(tracesFolder, '--labels', labels)).proposal?.changes).toHaveLength(1);
    const judged = runs.slice(-3).map(({ id }) => ({ id, stuck: true, from_step: 2, success: null }));
    writeFileSync(labels, JSON.stringify(judged));
    const { inForce, data } = await runLearnCommand(tracesFolder, '--labels', labels);
    expect(inForce['told']).toEqual({ hits: 3, of: 3 });
    expect(data).toMatchObject({ solved: 0, unsolved: 0 });
  });

  it.each([
    ['not json\n', 'line 1'],
    ['{"run": "a", "resolved": true}\n{"resolved": true}\n', 'line 2: it does not name a run'],
    ['{"run": "a", "resolved": "yes"}\n', 'line 1'],
    ['[{"id": "a"}, 7]', 'entry 2'],
  ])('reports what is wrong with labels such as %j', async (text, location) => {
    writeRuns(createTrainingRuns());
    const labels = join(testWorkspace.dir, 'labels.jsonl');
    writeFileSync(labels, text);
    const { code, err } = await testWorkspace.pawl('learn', tracesFolder, '--labels', labels);
    expect(code).toBe(2);
    expect(err).toContain(location);
    expect(err).toContain('Expected {"run": "ID", "resolved": true}');
  });

  it('reports that there are too few runs, how many there are and how many are needed', async () => {
    writeRuns(createTrainingRuns(['alpha']));
    const { code, out } = await testWorkspace.pawl('learn', tracesFolder);
    expect(code).toBe(0);
    expect(out).toContain('Too few runs to learn thresholds. The thresholds stay unchanged.');
    expect(out).toMatch(/solved +50 of 133 needed/);
    expect(out).toMatch(/unsolved +15 of 30 needed/);
    const file = join(testWorkspace.dir, 'learned.yaml');
    expect(await testWorkspace.pawl('learn', tracesFolder, '--write', file)).toMatchObject({
      code: 1,
      err: 'Nothing was written.\n',
    });
    expect(existsSync(file)).toBe(false);
  });

  it('counts a duplicate run once and skips entries that are not runs', async () => {
    writeRuns(createTrainingRuns());
    writeFileSync(join(tracesFolder, 'broken.jsonl'), '{"id": "cut o\n');
    const { out, err } = await testWorkspace.pawl('learn', tracesFolder, join(tracesFolder, 'runs.jsonl'));
    expect(out).toMatch(/^195 runs /);
    expect(err).toContain('broken.jsonl');
  });

  it('neutralizes control characters in names from traces', async () => {
    const hostile = '\u001b[31m<b>\n__proto__';
    writeRuns(
      Array.from({ length: 30 }, (_, index): RecordedRun => ({
        id: `${hostile}${index}`,
        source: hostile,
        success: index % 2 === 0,
        steps: [
          { i: 0, role: 'assistant', tool: 'look', result: 'x' },
          { i: 1, role: 'assistant', tool: index % 2 === 0 ? 'none' : hostile, result: `y${index}` },
        ],
      })),
    );
    const { out } = await testWorkspace.pawl('learn', tracesFolder);
    expect(out).not.toContain('\u001b');
    expect(out).toContain('<b>');
    expect((await runLearnCommand(tracesFolder)).patterns[0]?.words).toEqual([`${hostile} new`]);
  });
});

describe('pawl learn during a long computation', () => {
  it('stops if the user cancels, without partial output', async () => {
    writeRuns(createTrainingRuns());
    const signals = [AbortSignal.abort(), AbortSignal.timeout(20), AbortSignal.timeout(200)];
    for (const signal of signals) {
      const { io, out } = captureIo();
      const options = { dir: testWorkspace.dir, store: testWorkspace.file, signal };
      const code = await runLearn([tracesFolder], options, io);
      if (code === exitCodes.interrupted) expect(out()).toBe('');
      if (signal === signals[0]) expect(code).toBe(exitCodes.interrupted);
    }
  });
});

describe('pawl learn from stored sessions', () => {
  it('reads the sessions of the folder with their outcomes, in addition to recorded runs', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    await saveRun(testWorkspace, { ...successfulRun, id: 'far', about: { dir: '/elsewhere' } });
    const here = await runLearnCommand();
    expect(here).toMatchObject({
      outcome: 'too-little',
      data: { runs: 2, solved: 1, unsolved: 1, sources: 1 },
    });
    expect(here.needs.bySource).toMatchObject([{ name: testWorkspace.dir, runs: 1, half: 3, failedRuns: 1 }]);
    expect(here.needs.byTool).toMatchObject([{ name: 'look' }, { name: 'put' }]);
    expect((await runLearnCommand('--all')).data).toMatchObject({ runs: 3, sources: 2 });
    writeRuns(createTrainingRuns());
    expect((await runLearnCommand(tracesFolder)).data).toMatchObject({ runs: 197, sources: 4 });
  });

  it('reports the number of steps per mode', async () => {
    const search = defineTool({
      name: 'search',
      description: 'Searches.',
      parameters: z.object({ query: z.string() }),
      effect: 'read-only',
      run: async ({ query }) => ({ ok: true, output: `nothing about ${query}` }),
    });
    const settings = findProfile('savant')?.settings ?? {};
    const replies = [
      ...['roof', 'wall'].map((query) => ({ calls: [{ tool: 'search', args: { query } }] })),
      ...Array.from({ length: 4 }, () => ({ text: 'There is none.' })),
    ];
    await saveRun(testWorkspace, { goal: 'Find it', replies, settings, agent: { tools: [search] } });
    const { byMode } = (await runLearnCommand()).needs;
    // Two searches and the text of the transition; then the answer.
    expect(byMode).toMatchObject([
      { name: 'ANALYZING', runs: 1, half: 1 },
      { name: 'SEARCHING', runs: 1, half: 3 },
    ]);
  });

  it('uses verdict feedback as labels for the session', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    await saveRun(testWorkspace, { ...stuckRun, id: 'door' });
    await testWorkspace.pawl('verdict', 'key', 'right');
    await testWorkspace.pawl('verdict', 'door', 'wrong');
    const { data, inForce } = await runLearnCommand();
    // A session that was stopped wrongly has not failed; its outcome is unknown.
    expect(data).toMatchObject({ runs: 2, solved: 0, unsolved: 1 });
    expect(inForce['told']).toEqual({ hits: 1, of: 1 });
    expect(inForce['wrong']).toEqual({ hits: 1, of: 1 });
  });

  it('reports if there are no runs, or no thresholds to learn', async () => {
    expect(await testWorkspace.pawl('learn')).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is nothing to learn from') as unknown,
    });
    expect((await testWorkspace.pawl('learn', '--profile', 'nexora')).err).toContain(
      'uses the preset nexora',
    );
    expect((await testWorkspace.pawl('learn', join(testWorkspace.dir, 'nowhere'))).code).toBe(2);
  });

  it('uses the thresholds of the given profile', async () => {
    writeRuns([
      createRun('one', 's', false, [
        ...createProductiveCalls(1),
        ...repeatCall(5, 'list x=same'),
        ...createProductiveCalls(2, 'z'),
      ]),
    ]);
    const file = join(testWorkspace.dir, 'strict.yaml');
    writeFileSync(file, 'name: strict\ngovernor: { rules: { repeated-call: { advise: 2, stop: 2 } } }\n');
    expect((await runLearnCommand(tracesFolder, '--profile', file)).inForce['saved']).toEqual({
      hits: 5,
      of: 8,
    });
    expect((await runLearnCommand(tracesFolder)).inForce['saved']).toEqual({ hits: 3, of: 8 });
    expect(
      (await testWorkspace.pawl('learn', tracesFolder, '--profile', file, '--write', 'x.yaml')).err,
    ).toContain('is not built in');
  });
});
