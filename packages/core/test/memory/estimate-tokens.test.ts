import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  calibrateEstimator,
  estimateCalibratedTokens,
  estimateTokens,
  initialEstimator,
} from '../../src/memory/estimate-tokens.ts';
import { codePoint } from '../helpers/code-point.ts';

describe('an estimate', () => {
  it.each([
    ['', 0],
    ['hello', 1],
    ['the quick brown fox', 4],
    ['internationalisation', 5],
    ['12345678', 3],
    ['你好世界', 4],
  ])('of %j is about %i', (text, tokens) => expect(estimateTokens(text)).toBe(tokens));

  it('of code is more than of prose of the same length, and of ideographs more still', () => {
    const prose = 'a plain sentence of common words, one like another '.repeat(20);
    const code = 'if (a[i] != b[j]) { x += f(y, z); } else { return; }\n'.repeat(20).slice(0, prose.length);
    const ideographs = '今日は良い天気ですね'.repeat(200).slice(0, prose.length);
    expect(estimateTokens(code)).toBeGreaterThan(estimateTokens(prose) * 1.3);
    expect(estimateTokens(ideographs)).toBeGreaterThan(estimateTokens(code));
  });

  it('is an integer that shrinks by at most one run when text is added', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (a, b) => {
        const both = estimateTokens(a + b);
        expect(Number.isInteger(both)).toBe(true);
        expect(both).toBeLessThanOrEqual(estimateTokens(a) + estimateTokens(b) + 3);
        expect(both).toBeGreaterThanOrEqual(estimateTokens(a) - 1);
      }),
    );
  });

  it('converges to the count of a model', () => {
    let estimator = initialEstimator;
    const text = 'some words to count '.repeat(50);
    const real = Math.round(estimateTokens(text) * 1.7);
    for (let call = 0; call < 40; call += 1)
      estimator = calibrateEstimator(estimator, estimateCalibratedTokens(estimator, text), real);
    expect(Math.abs(estimateCalibratedTokens(estimator, text) - real)).toBeLessThan(real * 0.02);
  });

  it('stays within its bounds for any reports', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.double(), fc.double())), (reports) => {
        let estimator = initialEstimator;
        for (const [estimated, reported] of reports) {
          const next = calibrateEstimator(estimator, estimated, reported);
          expect(next.factor).toBeGreaterThanOrEqual(0.25);
          expect(next.factor).toBeLessThanOrEqual(4);
          expect(next.factor / estimator.factor).toBeLessThanOrEqual(1.6001);
          estimator = next;
        }
      }),
    );
  });
});
