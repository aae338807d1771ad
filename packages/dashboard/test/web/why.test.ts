import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../../../../scripts/testing/cpu-time.ts';
import type { SessionDecision } from '@pawl/core/projections';
import { pawlRules } from '@pawl/governor/rules';
import { getDecisionHistory } from '../../web/app/session-decisions.ts';
import { diffTextRows } from '../../web/views/why/diff-model.ts';
import { formatDecision, buildExplanation } from '../../web/views/why/why-model.ts';
import type { ReplayedTimeline } from '../../web/app/replayed-timeline.ts';
import {
  createAnswerReply,
  createToolReply,
  createToolEvents,
  goalEvent,
  stuckRunEvents,
  createTimeline,
  type UntimedEvent,
} from './test-events.ts';

function findDecision<Kind extends SessionDecision['kind']>(
  timeline: ReplayedTimeline,
  kind: Kind,
): Extract<SessionDecision, { kind: Kind }> {
  const decision = getDecisionHistory(timeline).all.find((each) => each.kind === kind);
  if (decision === undefined) throw new Error(`Expected a decision of kind ${kind}.`);
  return decision as Extract<SessionDecision, { kind: Kind }>;
}

describe('the explanation of a verdict', () => {
  const timeline = createTimeline(stuckRunEvents);
  const verdict = findDecision(timeline, 'verdict');
  const explanation = buildExplanation(timeline, verdict, pawlRules);

  it('shows the rule, its match count and its thresholds', () => {
    expect(explanation.rule).toMatchObject({ id: 'repeated-call', count: 3 });
    expect(explanation.rule?.rationale).toContain('word for word');
    expect(explanation.rule?.thresholds).toEqual([
      { severity: 'advise', at: 3, isReached: true },
      { severity: 'stop', at: 4, isReached: false },
    ]);
  });

  it('shows the calls and their results as evidence', () => {
    expect(explanation.evidence).toHaveLength(3);
    expect(explanation.evidence.map(({ seq }) => seq)).toEqual(verdict.verdict.evidence);
    for (const item of explanation.evidence) {
      expect(item).toMatchObject({ tool: 'read', result: 'same old text', isError: false });
      expect(JSON.parse(item.request)).toEqual({ path: 'a.ts' });
    }
  });

  it('shows the injected advice and that the model repeated the call', () => {
    expect(explanation.injectedPrompt).toMatchObject({
      seq: verdict.seq,
      advice: verdict.verdict.advice,
      lastAnswer: null,
    });
    expect(explanation.followingReply?.calls).toMatchObject([{ tool: 'read', isRepeated: true }]);
  });

  it('shows the final answer that the second verdict requested', () => {
    const second = getDecisionHistory(timeline).verdicts[1];
    if (second === undefined) throw new Error('Expected a second verdict.');
    const { injectedPrompt, followingReply } = buildExplanation(timeline, second, pawlRules);
    expect(second.verdict.response.kind).toBe('stop');
    expect(injectedPrompt?.lastAnswer).not.toBeNull();
    expect(followingReply).toMatchObject({ text: 'I could not find it.', calls: [] });
  });
});

function createFailedCallEvents(): readonly UntimedEvent[] {
  return [
    createToolReply('run', { command: 'make' }),
    { type: 'tool-started', callId: 'c' },
    {
      type: 'tool-finished',
      callId: 'c',
      outcome: { ok: false, error: { kind: 'failed', message: 'boom' } },
    },
  ];
}

describe('other decisions', () => {
  it('include blocked calls with the error that the model received', () => {
    const rounds = Array.from({ length: 4 }, createFailedCallEvents).flat();
    const timeline = createTimeline([goalEvent, ...rounds, createToolReply('run', { command: 'make' })]);
    const refused = timeline.latest.governor.blockedCalls;
    const denied = findDecision(timeline, 'denied');
    expect(refused).not.toHaveLength(0);
    const { denial } = buildExplanation(timeline, denied, pawlRules);
    expect(denial?.reason).toContain('Not run again');
    expect(denial?.rule).toBe(refused[0]?.rule);
    expect(formatDecision(denied)).toBe('call of run not run');
  });

  it('include permission decisions, and retries with attempt number and time', () => {
    const timeline = createTimeline([
      goalEvent,
      { type: 'model-failed', error: { kind: 'overloaded', message: 'busy' } },
      { type: 'retry-due' },
      { type: 'model-replied', text: '', calls: [{ id: 'c', tool: 'sh', args: {}, permission: 'ask' }] },
      { type: 'permission-decided', callId: 'c', decision: 'deny', reason: 'not today' },
    ]);
    expect(findDecision(timeline, 'retry')).toMatchObject({ attempt: 1, error: 'overloaded: busy' });
    expect(findDecision(timeline, 'retry').until).toBeGreaterThan(2_000);
    expect(formatDecision(findDecision(timeline, 'permission'))).toBe('c denied: not today');
    expect(getDecisionHistory(timeline).all.some(({ kind }) => kind === 'denied')).toBe(false);
  });

  it('exclude events that the session rejected', () => {
    const timeline = createTimeline([
      goalEvent,
      { type: 'permission-decided', callId: 'x', decision: 'allow' },
      createAnswerReply('hello'),
    ]);
    expect(getDecisionHistory(timeline).all).toEqual([]);
  });

  it('are in event order', () => {
    const timeline = createTimeline([...stuckRunEvents, ...createToolEvents('late')]);
    const seqs = getDecisionHistory(timeline).all.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
    expect(findDecision(timeline, 'stop').rule).toBe('repeated-call');
  });
});

describe('a side-by-side text diff', () => {
  it('aligns common lines', () => {
    expect(diffTextRows('a\nb\nc', 'a\nx\nc')).toEqual([
      { left: 'a', right: 'a', isSame: true },
      { left: 'b', right: 'x', isSame: false },
      { left: 'c', right: 'c', isSame: true },
    ]);
    expect(diffTextRows('a\nc', 'a\nb\nc').filter(({ isSame }) => !isSame)).toEqual([
      { left: null, right: 'b', isSame: false },
    ]);
  });

  it('preserves both texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((all) => all.join('\n'));
    fc.assert(
      fc.property(text, text, (left, right) => {
        const rows = diffTextRows(left, right);
        expect(rows.flatMap((row) => row.left ?? []).join('\n')).toBe(left);
        expect(rows.flatMap((row) => row.right ?? []).join('\n')).toBe(right);
        expect(rows.every((row) => row.isSame)).toBe(left === right);
      }),
    );
  });

  it('stays fast for very long texts', () => {
    const cpuMs = startCpuTimer();
    expect(diffTextRows(createManyLines('a'), createManyLines('b')).length).toBeLessThan(1_300);
    expect(cpuMs()).toBeLessThan(5_000);
  });
});

function createManyLines(prefix: string): string {
  return Array.from({ length: 50_000 }, (_, index) => `${prefix}${index}`).join('\n');
}
