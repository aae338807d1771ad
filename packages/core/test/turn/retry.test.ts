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

describe('retryAt', () => {
  it('doubles the wait with each failure up to the longest wait', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 39].map((failures) => computeWait(failures))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000,
    ]);
  });

  it('gives up on the failure that makes the maximum [RO-01, LOOM-48]', () => {
    expect(computeRetryTime(defaultSettings, { at: 0, failures: 2, jitter: undefined })).toBe(2_000);
    expect(computeRetryTime(defaultSettings, { at: 0, failures: 3, jitter: undefined })).toBeNull();
  });

  it('gives up at once on what cannot be tried again', () => {
    expect(computeWait(1, 1, { ...overloadedError, retryable: false })).toBeNull();
    expect(computeWait(1, 1, { ...overloadedError, retryable: true })).toBe(1_000);
  });

  it('waits as long as the provider asks for, and gives up when that is too long', () => {
    expect(computeWait(1, 0, { ...overloadedError, retryAfterMs: 0 })).toBe(0);
    expect(computeWait(4, 0, { ...overloadedError, retryAfterMs: 1_234 })).toBe(1_234);
    expect(computeWait(1, 0, { ...overloadedError, retryAfterMs: 600_000 })).toBe(600_000);
    expect(computeWait(1, 0, { ...overloadedError, retryAfterMs: 600_001 })).toBeNull();
    expect(computeWait(1, 0, { ...overloadedError, retryAfterMs: Number.POSITIVE_INFINITY })).toBeNull();
  });

  it.each([-1, Number.NaN, Number.NEGATIVE_INFINITY])('takes no notice of a wait of %d', (retryAfterMs) => {
    expect(computeWait(1, 1, { ...overloadedError, retryAfterMs })).toBe(1_000);
  });

  it('spreads the wait over its upper half by the jitter', () => {
    expect([0, 0.5, 1, undefined].map((jitter) => computeWait(2, jitter))).toEqual([
      1_000, 1_500, 2_000, 2_000,
    ]);
  });

  it.each([
    [-3, 500],
    [7, 1_000],
    [Number.NEGATIVE_INFINITY, 500],
    [Number.POSITIVE_INFINITY, 1_000],
  ])('takes a jitter of %d as the nearest that makes sense', (jitter, wait) => {
    expect(computeWait(1, jitter)).toBe(wait);
  });

  it('is a time that can be waited for, whatever the jitter and the wait asked for', () => {
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
