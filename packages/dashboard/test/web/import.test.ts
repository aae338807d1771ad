import { describe, expect, it } from 'vitest';
import { createSession } from '@pawl/core';
import type { ImportedRun } from '../../src/api/imports.ts';
import { computeFleetTotals, listFleetProblems } from '../../web/views/fleet/fleet-model.ts';
import { sortBySeverity, formatImportResult, toImportedRunRow } from '../../web/views/import/import-model.ts';

function createImportedRun(
  level: ImportedRun['audit']['level'],
  verdicts: ImportedRun['audit']['verdicts'] = [],
): ImportedRun {
  return {
    name: level,
    format: 'openai-chat',
    model: null,
    success: null,
    created: createSession({ id: 's', at: 0 }),
    events: [],
    audit: { level, verdicts },
    cut: null,
  };
}

const verdict = { step: 1, seq: 4, reason: 'why', advice: '', evidence: [] };

describe('a run that was read from a file', () => {
  it('is told by its gravest verdict', () => {
    const row = toImportedRunRow(
      createImportedRun('stop', [
        { ...verdict, level: 'nudge', rule: 'mild' },
        { ...verdict, level: 'stop', rule: 'grave', seq: 9 },
        { ...verdict, level: 'stop', rule: 'later', seq: 12 },
      ]),
    );
    expect(row).toMatchObject({ level: 'stop', verdicts: 3, finding: { rule: 'grave', seq: 9 } });
    expect(toImportedRunRow(createImportedRun('fine')).finding).toBeNull();
  });

  it('stands before those with less to say', () => {
    const rows = (['fine', 'stop', 'nudge'] as const).map((level) => ({
      ...toImportedRunRow(createImportedRun(level)),
      address: level,
    }));
    expect(sortBySeverity(rows).map(({ level }) => level)).toEqual(['stop', 'nudge', 'fine']);
  });

  it('is counted, and so is what could not be read', () => {
    expect(formatImportResult({ runs: [createImportedRun('fine')], problems: [] })).toBe('One run was read.');
    expect(formatImportResult({ runs: [], problems: [{ line: 3, message: 'no JSON' }] })).toBe(
      '0 runs were read; one piece could not be.',
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

  it('is added up over its queues', () => {
    expect(computeFleetTotals(quiet)).toMatchObject({
      waiting: 3,
      delayed: 1,
      active: 3,
      stalled: 1,
      workers: 0,
    });
  });

  it('tells what stands out, with what to do about it', () => {
    const worries = listFleetProblems(quiet);
    expect(worries[0]).toBe('One session has lost the worker and will be taken over by another.');
    expect(worries.at(-1)).toContain('pawl worker');
    const worker = { name: 'w', tenant: 'a', idleMs: null };
    expect(listFleetProblems({ ...quiet, queues: [], workers: [worker] })).toEqual([]);
  });
});
