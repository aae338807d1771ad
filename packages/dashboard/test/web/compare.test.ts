import { getConversation, findTurnAnswer } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeRunEnding,
  findRunDivergence,
  describeDivergence,
  buildComparisonRows,
  getEventAlignment,
} from '../../web/views/compare/compare-model.ts';
import type { ReplayedTimeline } from '../../web/app/replayed-timeline.ts';
import { isJsonEqual } from '../../web/app/json-equal.ts';
import {
  createAnswerReply,
  createToolReply,
  createToolEvents,
  goalEvent,
  stuckRunEvents,
  createTimeline,
} from './test-events.ts';

function findAnswer({ latest }: ReplayedTimeline): string | null {
  return findTurnAnswer(getConversation(latest));
}

const one = [goalEvent, createToolReply('read'), ...createToolEvents('text'), createAnswerReply('done')];

describe('two runs', () => {
  it('are identical if only times and call ids differ', () => {
    const a = createTimeline(one);
    const other = one.map((event) => {
      if (event.type === 'model-replied')
        return { ...event, calls: event.calls.map((call) => ({ ...call, id: 'other' })) };
      return 'callId' in event ? { ...event, callId: 'other' } : event;
    });
    const b = createTimeline(other, { at: 77 });
    expect(findRunDivergence(a, b)).toEqual({ common: 5, a: 5, b: 5 });
    expect(describeDivergence(findRunDivergence(a, b))).toBe(
      'The runs are identical except for times: 5 events.',
    );
  });

  it('diverge at the first event with different content', () => {
    const divergence = findRunDivergence(
      createTimeline(one),
      createTimeline([...one.slice(0, 4), createAnswerReply('something else')]),
    );
    expect(divergence.common).toBe(4);
    expect(describeDivergence(divergence)).toBe(
      'The first 4 events are identical except for times; then the runs diverge.',
    );
    expect([3, 4, 5].map((index) => getEventAlignment(divergence, index))).toEqual([
      'same',
      'parts',
      'apart',
    ]);
  });

  it('may be a prefix of each other or have nothing in common', () => {
    expect(
      describeDivergence(findRunDivergence(createTimeline(one.slice(0, 2)), createTimeline(one))),
    ).toContain('then the first run ends');
    expect(
      describeDivergence(findRunDivergence(createTimeline(one), createTimeline(one.slice(0, 2)))),
    ).toContain('then the second run ends');
    const unrelated = createTimeline([{ type: 'user-message', text: 'hello' }]);
    expect(describeDivergence(findRunDivergence(createTimeline(one), unrelated))).toBe(
      'The runs have no events in common.',
    );
  });

  it('are summarized side by side with differences marked', () => {
    const rows = buildComparisonRows(
      { timeline: createTimeline(one), model: 'm1' },
      { timeline: createTimeline(stuckRunEvents, { settings: { maxRetries: 9 } }), model: 'm1' },
    );
    const by = Object.fromEntries(rows.map((row) => [row.label, row]));
    expect(by['model']?.isSame).toBe(true);
    expect(by['settings']).toMatchObject({ a: 'maxRetries', isSame: false });
    expect(by['tool calls']).toMatchObject({ a: '1', b: '4', isSame: false });
    expect(by['input tokens']).toMatchObject({ a: '300', b: '600' });
    expect(by['outcome']).toMatchObject({ a: 'answered' });
    expect(by['outcome']?.b).toMatch(/^stuck: read was called 4 times in a row/u);
    expect(by['answer']).toMatchObject({ a: 'done', b: 'I could not find it.' });
  });
});

describe('the outcome of a run', () => {
  it('is described for every final state', () => {
    expect(describeRunEnding(createTimeline([]))).toBe('unused');
    expect(describeRunEnding(createTimeline([goalEvent]))).toBe('unfinished');
    expect(describeRunEnding(createTimeline([goalEvent, { type: 'halt-requested', reason: 'enough' }]))).toBe(
      'halted: enough',
    );
    expect(describeRunEnding(createTimeline([goalEvent, { type: 'shutdown-requested' }]))).toBe('shut down');
    const fails = {
      type: 'model-failed',
      error: { kind: 'auth', message: 'no key', retryable: false },
    } as const;
    expect(describeRunEnding(createTimeline([goalEvent, fails]))).toContain('failed');
  });

  it('counts only an answer to the last user message', () => {
    expect(findAnswer(createTimeline(one))).toBe('done');
    expect(findAnswer(createTimeline([...one, goalEvent]))).toBeNull();
  });
});

it('compares plain JSON regardless of field order', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(isJsonEqual(value, JSON.parse(JSON.stringify(value)) as unknown)).toBe(true);
    }),
    // JSON has only one zero.
    { examples: [[-0], [{ a: [-0] }]] },
  );
  expect(isJsonEqual({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
  expect(isJsonEqual([1], { 0: 1 })).toBe(false);
  expect(isJsonEqual({ __proto__: null, a: undefined }, { b: undefined })).toBe(false);
});
