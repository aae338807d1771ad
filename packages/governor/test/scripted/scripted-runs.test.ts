import { describe, expect, it } from 'vitest';
import { auditRun } from '../../src/audit-entry.ts';
import { healthyRuns } from './healthy-runs.ts';
import { toRecordedRun, type ScriptedRun } from './script.ts';
import { stuckRuns } from './stuck-runs.ts';

/** The verdicts as text, so that a failure says which rule is responsible. */
const listVerdicts = (run: ScriptedRun): readonly string[] =>
  auditRun(toRecordedRun(run)).map(({ step, severity, rule }) => `step ${step}: ${severity} (${rule})`);

const isEnding = (verdict: string): boolean => /: (?:stop|ask) /.test(verdict);
const getStep = (verdict: string): number => Number(/\d+/.exec(verdict)?.[0]);

describe('a healthy run that looks suspicious', () => {
  it.each(healthyRuns)('is not interrupted: $title', (run) => {
    const verdicts = listVerdicts(run);
    const allowed = run.kind === 'healthy' && run.advice === true ? /: advise / : /^$/;
    expect(verdicts.filter((verdict) => !allowed.test(verdict))).toEqual([]);
  });
});

describe('a stuck run that looks busy', () => {
  it.each(stuckRuns)('is told: $title', (run) => {
    const { toldBy } = run as Extract<ScriptedRun, { kind: 'stuck' }>;
    const first = listVerdicts(run)[0] ?? 'step Infinity: no verdict';
    expect(getStep(first), first).toBeLessThanOrEqual(toldBy);
  });

  it.each(stuckRuns.filter((run) => run.kind === 'stuck' && run.endedBy !== undefined))(
    'is ended: $title',
    (run) => {
      const { endedBy = -1 } = run as Extract<ScriptedRun, { kind: 'stuck' }>;
      const verdicts = listVerdicts(run);
      const ending = verdicts.find(isEnding);
      expect(ending, verdicts.join('; ')).toBeDefined();
      expect(getStep(ending ?? ''), verdicts.join('; ')).toBeLessThanOrEqual(endedBy);
    },
  );
});

describe('the scripted runs', () => {
  it('are at least a hundred, half of them healthy', () => {
    expect(healthyRuns.length).toBeGreaterThanOrEqual(50);
    expect(stuckRuns.length).toBeGreaterThanOrEqual(50);
    const titles = [...healthyRuns, ...stuckRuns].map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });
});
