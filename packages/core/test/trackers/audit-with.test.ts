import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audit } from '../../src/governor/audit.ts';
import { auditWith } from '../../src/trackers/audit-with.ts';
import { trackerPresets, type TrackerPreset } from '../../src/trackers/presets.ts';
import type { Json } from '../../src/json.ts';
import type { RecordedRun, RecordedStep } from '../../src/traces/recorded-run.ts';

type Work = Omit<RecordedStep, 'i' | 'role'> & { readonly role?: RecordedStep['role'] };

function runOf(...work: readonly Work[]): RecordedRun {
  const steps = work.map((each, index): RecordedStep => ({ i: index * 10, role: 'assistant', ...each }));
  return { id: 'run', steps };
}

const told = (preset: TrackerPreset, run: RecordedRun, config: object = {}): readonly string[] =>
  auditWith(preset, run, config).map(({ step, level, rule }) => `${step} ${level} ${rule}`);

const user = (text: string): Work => ({ role: 'user', text });
const searches = (query: string, more: Partial<Work> = {}): Work => ({
  tool: 'context.fts_search',
  args: { query },
  result: 'no hit',
  ...more,
});
const fails: Work = { tool: 'edit', args: { path: 'main.go' }, result: 'old_string not found', error: true };
const works: Work = { tool: 'edit', args: { path: 'main.go' }, result: 'done' };
const many = (count: number, work: Work): readonly Work[] => Array.from({ length: count }, () => work);

describe('a recorded run', () => {
  it('is judged by pawl as the audit judges it, with other thresholds if they are told', () => {
    const run = runOf(user('go'), ...many(3, fails));
    expect(auditWith('pawl', run)).toEqual(audit(run));
    expect(told('pawl', run)).toEqual(['20 nudge repeated-failure', '30 block repeated-failure']);
    expect(told('pawl', run, { rules: { 'repeated-failure': false } })).toEqual(['30 nudge error-streak']);
  });

  it('is warned by nexora at each error there is a way out of, and then stopped', () => {
    const run = runOf(user('go'), ...many(9, fails));
    expect(told('nexora', run)).toEqual([
      '30 nudge same_error',
      '40 nudge same_error',
      '50 nudge same_error',
      '60 stop same_error',
    ]);
    expect(auditWith('nexora', run)[0]).toMatchObject({ evidence: [10, 20, 30], counterEvidence: [] });
    expect(told('nexora', run, { recoverable_rules: [] })).toEqual(['30 stop same_error']);
    expect(told('nexora-lenient', run)[0]).toBe('50 nudge same_error');
  });

  it('is forgiven by nexora with a success, and not with a word from the user', () => {
    expect(told('nexora', runOf(...many(2, fails), works, ...many(2, fails)))).toEqual([]);
    expect(told('nexora', runOf(...many(2, fails), user('Again!'), fails))).toEqual(['30 nudge same_error']);
  });

  it('is stopped by savant at the second search for the same thing in one run', () => {
    expect(told('savant', runOf(user('go'), searches('x'), searches('x'), searches('x')))).toEqual([
      '20 stop repeated_query',
    ]);
    expect(told('savant', runOf(user('go'), searches('x'), user('once more'), searches('x')))).toEqual([]);
    expect(told('savant', runOf(user('go'), searches('x'), user('go'), searches('x')))).toHaveLength(1);
  });

  it('has a step for savant whenever the agent goes on, talking or not', () => {
    const thoughts = ['a', 'b', 'c', 'd', 'e', 'f'].map((text): Work => ({ text }));
    expect(told('savant', runOf(user('go'), ...thoughts))).toEqual(['60 stop steps_in_state']);
  });

  it('has no time but the one on record', () => {
    const slow = (at: number): Work => searches('y', { at });
    expect(told('savant', runOf({ ...user('go'), at: 5 }, searches('x', { at: 10 }), slow(60_010)))).toEqual(
      [],
    );
    expect(told('savant', runOf({ ...user('go'), at: 5 }, searches('x', { at: 10 }), slow(60_011)))).toEqual([
      '20 stop timeout',
    ]);
  });

  const json = fc.jsonValue() as fc.Arbitrary<Json>;
  const step: fc.Arbitrary<Work> = fc.record(
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
        const run = runOf(...work);
        const verdicts = auditWith(preset, run);
        const known = new Set(run.steps.map(({ i }) => i));
        for (const [index, { level, evidence, step: at }] of verdicts.entries()) {
          expect(at).toBeGreaterThanOrEqual(verdicts[index - 1]?.step ?? 0);
          expect(evidence.every((seq) => known.has(seq) && seq <= at)).toBe(true);
          if (level === 'stop') expect(index).toBe(verdicts.length - 1);
        }
      }),
    );
  });
});
