import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings, type ModelError, type SessionSettings } from '../../src/index.ts';
import { computeRetryTime } from '../../src/turn/retry.ts';

const settings: SessionSettings = { ...defaultSettings, maxRetries: 40 };
const overloadedError: ModelError = { kind: 'overloaded', message: 'too busy' };

function computeWait(failures: number, jitter?: number, error?: ModelError): number | null {
  const due = computeRetryTime(settings, { at: 5_000, failures, jitter }, error);
  return due === null ? null : due - 5_000;
}

describe('computeRetryTime', () => {
  it('doubles the delay with each failure up to the maximum', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 39].map((failures) => computeWait(failures))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000,
    ]);
  });

  it('gives up on the failure that reaches the maximum [RO-01, LOOM-48]', () => {
    expect(computeRetryTime(defaultSettings, { at: 0, failures: 2, jitter: undefined })).toBe(2_000);
    expect(computeRetryTime(defaultSettings, { at: 0, failures: 3, jitter: undefined })).toBeNull();
  });

  it('gives up at once on an error that is not retryable', () => {
    expect(computeWait(1, 1, { ...overloadedError, retryable: false })).toBeNull();
    expect(computeWait(1, 1, { ...overloadedError, retryable: true })).toBe(1_000);
  });

  it('uses the delay the provider asks for, and gives up if it is too long', () => {
    expect(computeWait(1, 0, { ...overloadedError, retryAfterMs: 0 })).toBe(0);
    expect(computeWait(4, 0, { ...overloadedError, retryAfterMs: 1_234 })).toBe(1_234);
    expect(computeWait(1, 0, { ...overloadedError, retryAfterMs: 600_000 })).toBe(600_000);
    expect(computeWait(1, 0, { ...overloadedError, retryAfterMs: 600_001 })).toBeNull();
    expect(computeWait(1, 0, { ...overloadedError, retryAfterMs: Number.POSITIVE_INFINITY })).toBeNull();
  });

  it.each([-1, Number.NaN, Number.NEGATIVE_INFINITY])('ignores a requested delay of %d', (retryAfterMs) => {
    expect(computeWait(1, 1, { ...overloadedError, retryAfterMs })).toBe(1_000);
  });

  it('spreads the delay over its upper half by the jitter', () => {
    expect([0, 0.5, 1, undefined].map((jitter) => computeWait(2, jitter))).toEqual([
      1_000, 1_500, 2_000, 2_000,
    ]);
  });

  it.each([
    [-3, 500],
    [7, 1_000],
    [Number.NEGATIVE_INFINITY, 500],
    [Number.POSITIVE_INFINITY, 1_000],
  ])('clamps a jitter of %d to the valid range', (jitter, wait) => {
    expect(computeWait(1, jitter)).toBe(wait);
  });

  it('returns a valid time for any jitter and any requested delay', () => {
    const anyNumber = fc.oneof(fc.double(), fc.constantFrom(undefined, Number.NaN));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 39 }), anyNumber, anyNumber, (failures, jitter, retryAfterMs) => {
        const error = retryAfterMs === undefined ? overloadedError : { ...overloadedError, retryAfterMs };
        const wait = computeWait(failures, jitter, error);
        if (wait === null) return;
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(settings.retryAfterMaxMs);
      }),
    );
  });
});
