import { describe, expect, it } from 'vitest';
import { createSession } from '@pawl/core';
import type { ImportedRun } from '../../src/api/imports.ts';
import { computeFleetTotals, listFleetProblems } from '../../web/views/fleet/fleet-model.ts';
import { sortBySeverity, formatImportResult, toImportedRunRow } from '../../web/views/import/import-model.ts';

function createImportedRun(
  severity: ImportedRun['audit']['severity'],
  verdicts: ImportedRun['audit']['verdicts'] = [],
): ImportedRun {
  return {
    name: severity,
    format: 'openai-chat',
    model: null,
    success: null,
    created: createSession({ id: 's', at: 0 }),
    events: [],
    audit: { severity, verdicts },
    cut: null,
  };
}

const verdict = { step: 1, seq: 4, reason: 'why', advice: '', evidence: [] };

describe('an imported run', () => {
  it('shows its most severe verdict', () => {
    const row = toImportedRunRow(
      createImportedRun('stop', [
        { ...verdict, severity: 'advise', rule: 'mild' },
        { ...verdict, severity: 'stop', rule: 'severe', seq: 9 },
        { ...verdict, severity: 'stop', rule: 'later', seq: 12 },
      ]),
    );
    expect(row).toMatchObject({ severity: 'stop', verdicts: 3, worstVerdict: { rule: 'severe', seq: 9 } });
    expect(toImportedRunRow(createImportedRun('none')).worstVerdict).toBeNull();
  });

  it('is listed before runs with less severe verdicts', () => {
    const rows = (['none', 'stop', 'advise'] as const).map((severity) => ({
      ...toImportedRunRow(createImportedRun(severity)),
      address: severity,
    }));
    expect(sortBySeverity(rows).map(({ severity }) => severity)).toEqual(['stop', 'advise', 'none']);
  });

  it('is counted in the import summary together with the problems', () => {
    expect(formatImportResult({ runs: [createImportedRun('none')], problems: [] })).toBe('1 run imported.');
    expect(formatImportResult({ runs: [], problems: [{ line: 3, message: 'no JSON' }] })).toBe(
      '0 runs imported, 1 problem.',
    );
  });
});

describe('the fleet', () => {
  const quiet = {
    store: { kind: 'redis' as const, where: null },
    workers: [],
    queues: [
      { tenant: 'a', waiting: 2, delayed: 1, active: 3, stalled: 0 },
      { tenant: 'b', waiting: 1, delayed: 0, active: 0, stalled: 1 },
    ],
    parked: [],
    leases: [],
    held: [],
    rates: { events: 0, modelCalls: 0, toolCalls: 0, tokens: 0 },
  };

  it('is summed over its queues', () => {
    expect(computeFleetTotals(quiet)).toMatchObject({
      waiting: 3,
      delayed: 1,
      active: 3,
      stalled: 1,
      workers: 0,
    });
  });

  it('lists problems and what to do about them', () => {
    const problems = listFleetProblems(quiet);
    expect(problems[0]).toBe('1 session has lost the worker. Another worker takes over.');
    expect(problems.at(-1)).toContain('pawl worker');
    const worker = { name: 'w', tenant: 'a', idleMs: null };
    expect(listFleetProblems({ ...quiet, queues: [], workers: [worker] })).toEqual([]);
  });
});
