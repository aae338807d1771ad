import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool } from '@pawl/runtime';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Lease, underLease } from '../src/lease.ts';

/** Takes the processor for so long that no timer runs: what a long pause of the process looks like from inside. */
function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

const context = { signal: new AbortController().signal, report: () => undefined };

function counting(): { readonly starts: () => number; readonly tool: ReturnType<typeof defineTool> } {
  let count = 0;
  const tool = defineTool({
    name: 'count',
    description: 'Counts.',
    parameters: z.object({}),
    run: async () => ({ ok: true, output: (count += 1) }),
  });
  return { starts: () => count, tool };
}

/** Whoever says what is about to be done is kept waiting for too long. */
async function intend(): Promise<boolean> {
  block(150);
  return true;
}

describe('a lease', () => {
  it('is sure for as long as it is renewed', async () => {
    const renewals: number[] = [];
    const lease = new Lease(200, async () => renewals.push(1) > 0);
    while (renewals.length < 8) await sleep(5);
    expect(lease.isSure()).toBe(true);
    expect(lease.lost.aborted).toBe(false);
    lease.end();
  });

  it('is lost after a pause, before anything is begun', async () => {
    const lease = new Lease(100, async () => true);
    const { tool, starts } = counting();
    const [guarded] = underLease([tool], lease);
    expect(await guarded?.run({}, context)).toMatchObject({ ok: true });
    block(150);
    expect(await guarded?.run({}, context)).toMatchObject({ ok: false, error: { kind: 'interrupted' } });
    expect(starts()).toBe(1);
    expect(lease.lost.aborted).toBe(true);
  });

  it('is lost when somebody else has it, and stays lost', async () => {
    const lease = new Lease(40, async () => false);
    while (!lease.lost.aborted) await sleep(5);
    expect(lease.isSure()).toBe(false);
  });

  it('is lost when nobody answers for too long', async () => {
    const lease = new Lease(60, () => new Promise(() => undefined));
    while (!lease.lost.aborted) await sleep(5);
    expect(lease.isSure()).toBe(false);
  });

  it('is known to be ours only by an answer', async () => {
    const unanswered = new Lease(1_000, () => Promise.reject(new Error('no answer')));
    expect(await unanswered.renew()).toBe(false);
    const ours = new Lease(1_000, async () => true);
    expect(await ours.renew()).toBe(true);
    ours.end();
    unanswered.end();
  });

  it('is not sure once it was let go of', async () => {
    const lease = new Lease(1_000, async () => true);
    lease.end();
    expect(lease.isSure()).toBe(false);
    expect(lease.lost.aborted).toBe(false);
  });

  it('counts from when it was asked for, however late the answer comes', async () => {
    const answer = Promise.withResolvers<boolean>();
    const asked = Promise.withResolvers<void>();
    const lease = new Lease(100, () => {
      asked.resolve();
      return answer.promise;
    });
    await asked.promise;
    block(100);
    answer.resolve(true);
    await answer.promise;
    await sleep(0);
    expect(lease.isSure()).toBe(false);
  });

  it('keeps a tool that says first what it is about to do from doing it after a pause', async () => {
    const lease = new Lease(100, async () => true);
    let done = 0;
    const tool = defineTool({
      name: 'verify',
      description: 'Says what it does.',
      parameters: z.object({}),
      effect: 'verifiable',
      run: async (_, { execution }) => {
        if ((await execution?.intend({})) === true) done += 1;
        return { ok: true, output: done };
      },
    });
    const [guarded] = underLease([tool], lease);
    await guarded?.run({}, { ...context, execution: { id: 'x', intend, hear: () => undefined } });
    expect(done).toBe(0);
    lease.end();
  });
});
