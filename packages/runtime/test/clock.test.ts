import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../src/platform/clock.ts';

afterEach(() => vi.restoreAllMocks());

describe('the system clock', () => {
  it('does not wait longer if it is set back meanwhile', async () => {
    const real = Date.now();
    const waiting = systemClock.sleepUntil(real + 50, new AbortController().signal);
    vi.spyOn(Date, 'now').mockReturnValue(real - 3_600_000);
    await waiting;
    expect(systemClock.now()).toBe(real - 3_600_000);
  });

  it('does not wait for a past time or after an abort', async () => {
    await systemClock.sleepUntil(Date.now() - 1, new AbortController().signal);
    await systemClock.sleepUntil(Date.now() + 3_600_000, AbortSignal.abort());
    const controller = new AbortController();
    const waiting = systemClock.sleepUntil(Date.now() + 3_600_000, controller.signal);
    controller.abort();
    await waiting;
  });
});
