import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../../../../scripts/testing/cpu-time.ts';
import { pawlRules } from '@pawl/core';
import { getDecisionHistory, type DecisionRecord } from '../../web/views/why/decisions-model.ts';
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

function findDecision<Kind extends DecisionRecord['kind']>(
  track: ReplayedTimeline,
  kind: Kind,
): Extract<DecisionRecord, { kind: Kind }> {
  const found = getDecisionHistory(track).all.find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found as Extract<DecisionRecord, { kind: Kind }>;
}

describe('why a verdict was reached', () => {
  const track = createTimeline(stuckRunEvents);
  const verdict = findDecision(track, 'verdict');
  const why = buildExplanation(track, verdict, pawlRules);

  it('is told by the rule, how often it saw what, and what it does from how many on', () => {
    expect(why.rule).toMatchObject({ id: 'repeated-call', count: 3 });
    expect(why.rule?.because).toContain('word for word');
    expect(why.rule?.rungs).toEqual([
      { level: 'advise', at: 3, isReached: true },
      { level: 'finish', at: 4, isReached: false },
    ]);
  });

  it('is proved by the calls and what came of them', () => {
    expect(why.evidence).toHaveLength(3);
    expect(why.evidence.map(({ seq }) => seq)).toEqual(verdict.verdict.evidence);
    for (const proof of why.evidence) {
      expect(proof).toMatchObject({ tool: 'read', came: 'same old text', isError: false });
      expect(JSON.parse(proof.asked)).toEqual({ path: 'a.ts' });
    }
  });

  it('shows what the model was told, and that it did the same once more', () => {
    expect(why.told).toMatchObject({ seq: verdict.seq, advice: verdict.verdict.advice, lastAnswer: null });
    expect(why.next?.calls).toMatchObject([{ tool: 'read', isRepeated: true }]);
  });

  it('shows the last answer that was asked for after the second', () => {
    const second = getDecisionHistory(track).verdicts[1];
    if (second === undefined) throw new Error('there is only one verdict');
    const { told, next } = buildExplanation(track, second, pawlRules);
    expect(second.verdict.response.kind).toBe('finish');
    expect(told?.lastAnswer).not.toBeNull();
    expect(next).toMatchObject({ text: 'I could not find it.', calls: [] });
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
  it('are calls that a rule kept from running, with what the model was told instead', () => {
    const rounds = Array.from({ length: 4 }, createFailedCallEvents).flat();
    const track = createTimeline([goalEvent, ...rounds, createToolReply('run', { command: 'make' })]);
    const refused = track.now.governor.refused;
    const denied = findDecision(track, 'denied');
    expect(refused).not.toHaveLength(0);
    const { denial } = buildExplanation(track, denied, pawlRules);
    expect(denial?.reason).toContain('Not run again');
    expect(denial?.rule).toBe(refused[0]?.rule);
    expect(formatDecision(denied)).toBe('a call of run was not run');
  });

  it('are what a person allows and denies, and retries with their number and time', () => {
    const track = createTimeline([
      goalEvent,
      { type: 'model-failed', error: { kind: 'overloaded', message: 'busy' } },
      { type: 'retry-due' },
      { type: 'model-replied', text: '', calls: [{ id: 'c', tool: 'sh', args: {}, permission: 'ask' }] },
      { type: 'permission-decided', callId: 'c', decision: 'deny', reason: 'not today' },
    ]);
    expect(findDecision(track, 'retry')).toMatchObject({ attempt: 1, error: 'overloaded: busy' });
    expect(findDecision(track, 'retry').until).toBeGreaterThan(2_000);
    expect(formatDecision(findDecision(track, 'permission'))).toBe('c denied: not today');
    expect(getDecisionHistory(track).all.some(({ kind }) => kind === 'denied')).toBe(false);
  });

  it('are not made by events that the session did not take', () => {
    const track = createTimeline([
      goalEvent,
      { type: 'permission-decided', callId: 'x', decision: 'allow' },
      createAnswerReply('hello'),
    ]);
    expect(getDecisionHistory(track).all).toEqual([]);
  });

  it('come in the order of their events', () => {
    const track = createTimeline([...stuckRunEvents, ...createToolEvents('late')]);
    const seqs = getDecisionHistory(track).all.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
    expect(findDecision(track, 'stop').rule).toBe('repeated-call');
  });
});

describe('two texts side by side', () => {
  it('have what they have in common on the same rows', () => {
    expect(diffTextRows('a\nb\nc', 'a\nx\nc')).toEqual([
      { left: 'a', right: 'a', isSame: true },
      { left: 'b', right: 'x', isSame: false },
      { left: 'c', right: 'c', isSame: true },
    ]);
    expect(diffTextRows('a\nc', 'a\nb\nc').filter(({ isSame }) => !isSame)).toEqual([
      { left: null, right: 'b', isSame: false },
    ]);
  });

  it('are both whole again on either side, whatever they are', () => {
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

  it('take no longer than a page has time for, however long they are', () => {
    const cpuMs = startCpuTimer();
    expect(diffTextRows(createManyLines('a'), createManyLines('b')).length).toBeLessThan(1_300);
    expect(cpuMs()).toBeLessThan(5_000);
  });
});

function createManyLines(word: string): string {
  return Array.from({ length: 50_000 }, (_, index) => `${word}${index}`).join('\n');
}
