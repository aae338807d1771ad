import { describe, expect, it } from 'vitest';
import { formatRunCost } from '../../src/commands/audit/result.ts';
import { formatCount, formatGroupedNumber, formatShare } from '../../src/output/format-number.ts';

describe('formatted numbers', () => {
  it('are rounded and grouped, and fractions are percentages', () => {
    expect([0, 999.6, 1_234_567].map(formatGroupedNumber)).toEqual(['0', '1,000', '1,234,567']);
    expect([null, 0, 0.125, 1].map(formatShare)).toEqual(['-', '0 %', '13 %', '100 %']);
  });

  it.each([
    [0, '0 runs'],
    [1, '1 run'],
    [12_345, '12,345 runs'],
  ])('show %i as %s', (count, text) => {
    expect(formatCount(count, 'run')).toBe(text);
  });

  it.each([
    [{ steps: 1, tokens: 1, inputTokens: null, cachedTokens: null, money: null }, '1 step, 1 token'],
    [
      { steps: 2_000, tokens: 9_999, inputTokens: null, cachedTokens: null, money: 0.5 },
      '2,000 steps, 9,999 tokens for 0.5000',
    ],
    [
      { steps: 0, tokens: 123_456, inputTokens: 9, cachedTokens: null, money: 12.345 },
      '0 steps, 123k tokens for 12.35',
    ],
    [
      { steps: 3, tokens: 4_560_000, inputTokens: 9, cachedTokens: null, money: null },
      '3 steps, 4.6M tokens',
    ],
  ])('show the cost %j as %s', (cost, text) => {
    expect(formatRunCost(cost)).toBe(text);
  });
});
