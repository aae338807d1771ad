import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  getLastAnswer,
  describeRunEnding,
  isJsonEqual,
  findRunDivergence,
  describeDivergence,
  buildComparisonRows,
  getEventAlignment,
} from '../../web/views/compare/compare-model.ts';
import {
  createAnswerReply,
  createToolReply,
  createToolEvents,
  goalEvent,
  stuckRunEvents,
  createTimeline,
} from './test-events.ts';

const one = [goalEvent, createToolReply('read'), ...createToolEvents('text'), createAnswerReply('done')];

describe('two runs', () => {
  it('are the same where only times and ids of calls differ', () => {
    const a = createTimeline(one);
    const other = one.map((event) => {
      if (event.type === 'model-replied')
        return { ...event, calls: event.calls.map((call) => ({ ...call, id: 'other' })) };
      return 'callId' in event ? { ...event, callId: 'other' } : event;
    });
    const b = createTimeline(other, { at: 77 });
    expect(findRunDivergence(a, b)).toEqual({ common: 5, a: 5, b: 5 });
    expect(describeDivergence(findRunDivergence(a, b))).toBe('They are the same, times aside: 5 events.');
  });

  it('part at the first event that says something else', () => {
    const parting = findRunDivergence(
      createTimeline(one),
      createTimeline([...one.slice(0, 4), createAnswerReply('something else')]),
    );
    expect(parting.common).toBe(4);
    expect(describeDivergence(parting)).toBe('The first 4 events are the same, times aside; then they part.');
    expect([3, 4, 5].map((index) => getEventAlignment(parting, index))).toEqual(['same', 'parts', 'apart']);
  });

  it('may end in each other, or have nothing in common', () => {
    expect(
      describeDivergence(findRunDivergence(createTimeline(one.slice(0, 2)), createTimeline(one))),
    ).toContain('the first ends there');
    expect(
      describeDivergence(findRunDivergence(createTimeline(one), createTimeline(one.slice(0, 2)))),
    ).toContain('the second ends there');
    const stranger = createTimeline([{ type: 'user-message', text: 'hello' }]);
    expect(describeDivergence(findRunDivergence(createTimeline(one), stranger))).toBe(
      'They have nothing in common.',
    );
  });

  it('are summed up side by side, with what differs told apart', () => {
    const rows = buildComparisonRows(
      { track: createTimeline(one), model: 'm1' },
      { track: createTimeline(stuckRunEvents, { settings: { maxRetries: 9 } }), model: 'm1' },
    );
    const by = Object.fromEntries(rows.map((row) => [row.what, row]));
    expect(by['model']?.isSame).toBe(true);
    expect(by['settings']).toMatchObject({ a: 'maxRetries', isSame: false });
    expect(by['tool calls']).toMatchObject({ a: '1', b: '4', isSame: false });
    expect(by['tokens read']).toMatchObject({ a: '300', b: '600' });
    expect(by['ended']).toMatchObject({ a: 'answered' });
    expect(by['ended']?.b).toMatch(/^stuck: read was called 4 times in a row/u);
    expect(by['answer']).toMatchObject({ a: 'done', b: 'I could not find it.' });
  });
});

describe('how a run ended', () => {
  it('is told in every state', () => {
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

  it('counts only an answer to what the user said last', () => {
    expect(getLastAnswer(createTimeline(one).now)).toBe('done');
    expect(getLastAnswer(createTimeline([...one, goalEvent]).now)).toBeNull();
  });
});

it('compares plain JSON as JSON does, order of fields aside', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(isJsonEqual(value, JSON.parse(JSON.stringify(value)) as unknown)).toBe(true);
    }),
    // JSON knows one zero only.
    { examples: [[-0], [{ a: [-0] }]] },
  );
  expect(isJsonEqual({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
  expect(isJsonEqual([1], { 0: 1 })).toBe(false);
  expect(isJsonEqual({ __proto__: null, a: undefined }, { b: undefined })).toBe(false);
});
