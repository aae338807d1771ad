import { setImmediate as nextTurn } from 'node:timers/promises';
import { defineTool } from '@pawl/runtime';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { SessionLease, guardToolsByLease, type MonotonicTimer } from '../src/session-lease.ts';

type SimulatedStopwatch = MonotonicTimer & {
  /** Lets time pass without ringing, as when the whole process is paused. */
  pause(ms: number): void;
  /** Lets time pass, and rings whenever something is due. */
  advance(ms: number): Promise<void>;
};

function createStopwatch(): SimulatedStopwatch {
  let now = 0;
  const due = new Map<() => void, number>();
  return {
    now: () => now,
    schedule(ms, then) {
      due.set(then, now + ms);
      return () => due.delete(then);
    },
    pause: (ms) => void (now += ms),
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...due].toSorted(([, one], [, other]) => one - other);
        if (next === undefined || next[1] > end) break;
        now = Math.max(now, next[1]);
        due.delete(next[0]);
        next[0]();
        await nextTurn();
      }
      now = end;
    },
  };
}

const context = { signal: new AbortController().signal, report: () => undefined };

function createCountingTool(): {
  readonly starts: () => number;
  readonly tool: ReturnType<typeof defineTool>;
} {
  let count = 0;
  const tool = defineTool({
    name: 'count',
    description: 'Counts.',
    parameters: z.object({}),
    run: async () => ({ ok: true, output: (count += 1) }),
  });
  return { starts: () => count, tool };
}

describe('a lease', () => {
  it('is certain as long as it is renewed', async () => {
    const stopwatch = createStopwatch();
    let renewals = 0;
    const lease = new SessionLease(200, async () => (renewals += 1) > 0, stopwatch);
    await stopwatch.advance(400);
    expect(renewals).toBe(8);
    expect(lease.isCertain()).toBe(true);
    expect(lease.lost.aborted).toBe(false);
    lease.end();
    await stopwatch.advance(400);
    expect(renewals).toBe(8);
  });

  it('is lost after a pause, before anything starts', async () => {
    const stopwatch = createStopwatch();
    const lease = new SessionLease(100, async () => true, stopwatch);
    const { tool, starts } = createCountingTool();
    const [guarded] = guardToolsByLease([tool], lease);
    expect(await guarded?.run({}, context)).toMatchObject({ ok: true });
    stopwatch.pause(150);
    expect(await guarded?.run({}, context)).toMatchObject({ ok: false, error: { kind: 'interrupted' } });
    expect(starts()).toBe(1);
    expect(lease.lost.aborted).toBe(true);
  });

  it('is lost when another worker has it, and stays lost', async () => {
    const stopwatch = createStopwatch();
    const lease = new SessionLease(40, async () => false, stopwatch);
    expect(lease.isCertain()).toBe(true);
    await stopwatch.advance(10);
    expect(lease.lost.aborted).toBe(true);
    expect(lease.isCertain()).toBe(false);
  });

  it('is lost when there is no reply for too long', async () => {
    const stopwatch = createStopwatch();
    const lease = new SessionLease(60, () => new Promise(() => undefined), stopwatch);
    await stopwatch.advance(30);
    expect(lease.lost.aborted).toBe(false);
    await stopwatch.advance(15);
    expect(lease.lost.aborted).toBe(true);
    expect(lease.isCertain()).toBe(false);
  });

  it('is confirmed only by a reply', async () => {
    const unanswered = new SessionLease(
      1_000,
      () => Promise.reject(new Error('no answer')),
      createStopwatch(),
    );
    expect(await unanswered.renew()).toBe(false);
    const ours = new SessionLease(1_000, async () => true, createStopwatch());
    expect(await ours.renew()).toBe(true);
    ours.end();
    unanswered.end();
  });

  it('is not certain once it was released', async () => {
    const lease = new SessionLease(1_000, async () => true, createStopwatch());
    lease.end();
    expect(lease.isCertain()).toBe(false);
    expect(lease.lost.aborted).toBe(false);
  });

  it('counts from the request, however late the reply arrives', async () => {
    const stopwatch = createStopwatch();
    const answer = Promise.withResolvers<boolean>();
    const lease = new SessionLease(100, () => answer.promise, stopwatch);
    await stopwatch.advance(25);
    stopwatch.pause(100);
    answer.resolve(true);
    await nextTurn();
    expect(lease.isCertain()).toBe(false);
  });

  it('prevents a verifiable tool from continuing after a pause', async () => {
    const stopwatch = createStopwatch();
    const lease = new SessionLease(100, async () => true, stopwatch);
    const recordIntent = async (): Promise<boolean> => {
      stopwatch.pause(150);
      return true;
    };
    let done = 0;
    const tool = defineTool({
      name: 'verify',
      description: 'Says what it does.',
      parameters: z.object({}),
      effect: 'verifiable',
      run: async (_, { execution }) => {
        if ((await execution?.recordIntent({})) === true) done += 1;
        return { ok: true, output: done };
      },
    });
    const [guarded] = guardToolsByLease([tool], lease);
    await guarded?.run(
      {},
      { ...context, execution: { id: 'x', recordIntent, appendOutput: () => undefined } },
    );
    expect(done).toBe(0);
    lease.end();
  });
});
