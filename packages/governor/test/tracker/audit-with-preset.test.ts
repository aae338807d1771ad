import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditRun } from '../../src/audit/audit.ts';
import { auditWithPreset } from '../../src/audit/audit-with-preset.ts';
import { trackerPresets, type TrackerPreset } from '../../src/tracker/presets.ts';
import type { Json } from '../../src/json/json.ts';
import type { RecordedRun, RecordedStep } from '../../src/traces/trace-format.ts';

type StepFields = Omit<RecordedStep, 'i' | 'role'> & { readonly role?: RecordedStep['role'] };

function createRecordedRun(...work: readonly StepFields[]): RecordedRun {
  const steps = work.map((each, index): RecordedStep => ({ i: index * 10, role: 'assistant', ...each }));
  return { id: 'run', steps };
}

const listAuditLines = (preset: TrackerPreset, run: RecordedRun, config: object = {}): readonly string[] =>
  auditWithPreset(preset, run, config).map(({ step, severity, rule }) => `${step} ${severity} ${rule}`);

const createUserStep = (text: string): StepFields => ({ role: 'user', text });
const createSearchRunStep = (query: string, more: Partial<StepFields> = {}): StepFields => ({
  tool: 'context.fts_search',
  args: { query },
  result: 'no hit',
  ...more,
});
const failedEdit: StepFields = {
  tool: 'edit',
  args: { path: 'main.go' },
  result: 'old_string not found',
  error: true,
};
const successfulEdit: StepFields = { tool: 'edit', args: { path: 'main.go' }, result: 'done' };
const repeatStep = (count: number, work: StepFields): readonly StepFields[] =>
  Array.from({ length: count }, () => work);

describe('a recorded run', () => {
  it('is judged by pawl as by the audit, with configurable thresholds', () => {
    const run = createRecordedRun(createUserStep('go'), ...repeatStep(3, failedEdit));
    expect(auditWithPreset('pawl', run)).toEqual(auditRun(run));
    expect(listAuditLines('pawl', run)).toEqual(['20 advise repeated-failure', '30 block repeated-failure']);
    expect(listAuditLines('pawl', run, { rules: { 'repeated-failure': false } })).toEqual([
      '30 advise error-streak',
    ]);
  });

  it('is warned by nexora at each recoverable error, and then stopped', () => {
    const run = createRecordedRun(createUserStep('go'), ...repeatStep(9, failedEdit));
    expect(listAuditLines('nexora', run)).toEqual([
      '30 advise same_error',
      '40 advise same_error',
      '50 advise same_error',
      '60 stop same_error',
    ]);
    expect(auditWithPreset('nexora', run)[0]).toMatchObject({ evidence: [10, 20, 30], counterEvidence: [] });
    expect(listAuditLines('nexora', run, { recoverable_rules: [] })).toEqual(['30 stop same_error']);
    expect(listAuditLines('nexora-lenient', run)[0]).toBe('50 advise same_error');
  });

  it('is reset by nexora after a success, and not after a user message', () => {
    expect(
      listAuditLines(
        'nexora',
        createRecordedRun(...repeatStep(2, failedEdit), successfulEdit, ...repeatStep(2, failedEdit)),
      ),
    ).toEqual([]);
    expect(
      listAuditLines(
        'nexora',
        createRecordedRun(...repeatStep(2, failedEdit), createUserStep('Again!'), failedEdit),
      ),
    ).toEqual(['30 advise same_error']);
  });

  it('is stopped by savant at the second search for the same thing in one run', () => {
    expect(
      listAuditLines(
        'savant',
        createRecordedRun(
          createUserStep('go'),
          createSearchRunStep('x'),
          createSearchRunStep('x'),
          createSearchRunStep('x'),
        ),
      ),
    ).toEqual(['20 stop repeated_query']);
    expect(
      listAuditLines(
        'savant',
        createRecordedRun(
          createUserStep('go'),
          createSearchRunStep('x'),
          createUserStep('once more'),
          createSearchRunStep('x'),
        ),
      ),
    ).toEqual([]);
    expect(
      listAuditLines(
        'savant',
        createRecordedRun(
          createUserStep('go'),
          createSearchRunStep('x'),
          createUserStep('go'),
          createSearchRunStep('x'),
        ),
      ),
    ).toHaveLength(1);
  });

  it('has a step for savant whenever the agent continues, with or without text', () => {
    const thoughts = ['a', 'b', 'c', 'd', 'e', 'f'].map((text): StepFields => ({ text }));
    expect(listAuditLines('savant', createRecordedRun(createUserStep('go'), ...thoughts))).toEqual([
      '60 stop steps_in_state',
    ]);
  });

  it('uses the recorded time only', () => {
    const slow = (at: number): StepFields => createSearchRunStep('y', { at });
    expect(
      listAuditLines(
        'savant',
        createRecordedRun(
          { ...createUserStep('go'), at: 5 },
          createSearchRunStep('x', { at: 10 }),
          slow(60_010),
        ),
      ),
    ).toEqual([]);
    expect(
      listAuditLines(
        'savant',
        createRecordedRun(
          { ...createUserStep('go'), at: 5 },
          createSearchRunStep('x', { at: 10 }),
          slow(60_011),
        ),
      ),
    ).toEqual(['20 stop timeout']);
  });

  const json = fc.jsonValue() as fc.Arbitrary<Json>;
  const step: fc.Arbitrary<StepFields> = fc.record(
    {
      role: fc.constantFrom('assistant' as const, 'assistant' as const, 'user' as const),
      text: fc.constantFrom('go', 'on', ''),
      tool: fc.constantFrom('edit', 'view', 'context.fts_search', '__proto__'),
      args: fc.oneof(fc.record({ path: fc.constantFrom('a', 'b') }), json),
      result: fc.constantFrom('x', 'y', ''),
      error: fc.boolean(),
      at: fc.integer({ min: 0, max: 100_000 }),
    },
    { requiredKeys: ['role'] },
  );

  it('gets verdicts in order of its steps, none after the one that ends it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...trackerPresets), fc.array(step, { maxLength: 60 }), (preset, work) => {
        const run = createRecordedRun(...work);
        const verdicts = auditWithPreset(preset, run);
        const known = new Set(run.steps.map(({ i }) => i));
        for (const [index, { severity, evidence, step: at }] of verdicts.entries()) {
          expect(at).toBeGreaterThanOrEqual(verdicts[index - 1]?.step ?? 0);
          expect(evidence.every((seq) => known.has(seq) && seq <= at)).toBe(true);
          if (severity === 'stop') expect(index).toBe(verdicts.length - 1);
        }
      }),
    );
  });
});
