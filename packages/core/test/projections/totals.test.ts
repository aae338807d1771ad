import { describe, expect, it } from 'vitest';
import { addEventTotals, countTotalTokens, emptyTotals } from '../../src/projections-entry.ts';
import {
  createCall,
  modelFailed,
  modelReplied,
  successOutcome,
  userMessage,
  userSteered,
} from '../helpers/event-builders.ts';
import type { UntimedEvent } from '../helpers/run-events.ts';

function countTotals(...events: readonly UntimedEvent[]): typeof emptyTotals {
  return events.reduce(
    (totals, event, index) => addEventTotals(totals, { at: index + 1, ...event }),
    emptyTotals,
  );
}

describe('totals', () => {
  it('count replies, failures, calls and usage, including that of summaries', () => {
    const totals = countTotals(
      userMessage('Go'),
      modelFailed(),
      { ...modelReplied('', createCall('a')), usage: { inputTokens: 10, outputTokens: 2 } } as UntimedEvent,
      {
        type: 'tool-finished',
        callId: 'a',
        outcome: successOutcome(),
        files: [
          { path: 'b', hash: 'h' },
          { path: 'a', hash: 'h' },
        ],
      },
      {
        type: 'tool-finished',
        callId: 'b',
        outcome: successOutcome(),
        files: [{ path: 'b', hash: 'h' }],
      },
      { type: 'paging-finished', freedTokens: 5, usage: { inputTokens: 7, outputTokens: 1, cost: 0.5 } },
    );
    expect(totals).toEqual({
      events: 6,
      lastAt: 6,
      goal: 'Go',
      replies: 1,
      modelFailures: 1,
      toolCalls: 2,
      inputTokens: 17,
      outputTokens: 3,
      cost: 0.5,
      files: ['b', 'a'],
    });
    expect(countTotalTokens(totals)).toBe(20);
  });

  it('ignore usage that is not a count', () => {
    const usage = { inputTokens: NaN, outputTokens: -5, cost: Infinity };
    expect(countTotals({ ...modelReplied('x'), usage } as UntimedEvent)).toMatchObject({
      inputTokens: 0,
      outputTokens: 0,
      cost: 0,
    });
    expect(countTotals(modelReplied('x')).cost).toBeNull();
  });

  it('take the first message of a person as the goal', () => {
    const automatic = { ...userMessage('continue'), automatic: true } as UntimedEvent;
    expect(countTotals(automatic, userSteered('Faster'), userMessage('Go')).goal).toBe('Faster');
    expect(countTotals(automatic).goal).toBeNull();
    const reminder = '<system-reminder>\nTools: 3\n</system-reminder>';
    expect(countTotals(userMessage(reminder), userMessage(`${reminder}\nGo`)).goal).toBe('Go');
  });
});
