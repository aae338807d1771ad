import { Agent, defineTool, type RuntimeClock } from '../../src/index.ts';
import { createScriptedModel } from '../../src/models-entry.ts';
import type { Session } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  createSystemProbe,
  type ResourceProbe,
  type ResourceUsage,
} from '../../src/resources/resource-pressure.ts';
import { watchResources, type ResourceWatch } from '../../src/resources/watch-resources.ts';

const easyUsage: ResourceUsage = { cpuUsed: 0.1, memoryUsed: 0.2, diskFreeBytes: 1e12 };
const fullUsage: ResourceUsage = { ...easyUsage, memoryUsed: 0.99 };
const shortageText = 'Resources are short: memory usage is above 85 %.';

/** A clock that the test advances as soon as a caller waits for it. */
function createManualClock(): RuntimeClock & { pass(): Promise<void>; tick(): Promise<void> } {
  let now = 0;
  const waiting: (() => void)[] = [];
  const flushTasks = async (): Promise<void> => {
    await expect.poll(() => waiting).toHaveLength(1);
  };
  const pass = async (): Promise<void> => {
    await flushTasks();
    waiting.shift()?.();
  };
  return {
    now: () => now,
    sleepUntil: (at, signal) =>
      new Promise((resolve) => {
        waiting.push(() => {
          now = at;
          resolve();
        });
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    pass,
    async tick() {
      await pass();
      await flushTasks();
    },
  };
}

/** An agent in the middle of its work, watched. */
async function createWatchedAgent(probe?: ResourceProbe): Promise<{
  readonly agent: Agent;
  readonly watch: ResourceWatch;
  readonly reports: string[];
  readonly look: (seen: ResourceUsage, times?: number) => Promise<Session['turn']>;
  readonly clock: ReturnType<typeof createManualClock>;
  readonly release: () => void;
}> {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const slow = defineTool({
    name: 'slow',
    description: 'Takes its time.',
    parameters: z.object({}),
    run: () => promise.then(() => ({ ok: true, output: 'done' })),
  });
  const replies = [
    { text: '', calls: [{ tool: 'slow', args: {}, id: 'a' }] },
    { text: 'Done.', calls: [] },
  ];
  const agent = new Agent({ model: createScriptedModel(replies), tools: [slow] });
  void agent.sendMessage('go');
  await expect.poll(() => agent.session.turn.status).toBe('executingTools');
  const clock = createManualClock();
  const reports: string[] = [];
  let seen = easyUsage;
  const watch = watchResources({
    post: (event) => agent.post(event),
    session: () => agent.session,
    probe: probe ?? (() => Promise.resolve(seen)),
    clock,
    report: (line) => reports.push(line),
  });
  const look = async (next: ResourceUsage, times = 1): Promise<Session['turn']> => {
    seen = next;
    for (let time = 0; time < times; time += 1) await clock.tick();
    return agent.session.turn;
  };
  return { agent, watch, reports, look, clock, release };
}

describe('watchResources', () => {
  it('pauses the session while resources are short, resumes it when they recover, and reports both [NEX-121]', async () => {
    const { agent, watch, reports, look, release } = await createWatchedAgent();
    expect((await look(fullUsage, 2)).status).toBe('executingTools');
    expect(await look(fullUsage)).toMatchObject({ status: 'paused', reason: shortageText });
    release();
    // The tool may end, and nothing new begins.
    await expect
      .poll(() => agent.session.turn)
      .toMatchObject({ status: 'paused', held: { status: 'callingModel' } });
    expect((await look(easyUsage, 2)).status).toBe('paused');
    await look(easyUsage);
    expect((await agent.waitUntilIdle()).turn.status).toBe('waitingForUser');
    expect(reports).toEqual([
      `${shortageText} The session is paused and continues when they recover; resume it to continue now.`,
      'Resources have recovered; the session continues.',
    ]);
    watch.stop();
    await watch.stopped;
  });

  it.each([
    { what: 'processor', seen: { ...easyUsage, cpuUsed: 0.9 } },
    { what: 'memory', seen: { ...easyUsage, memoryUsed: 0.9 } },
    { what: 'disk', seen: { ...easyUsage, diskFreeBytes: 1e9 } },
  ])('watches the $what [NEX-121]', async ({ seen }) => {
    const { watch, look } = await createWatchedAgent();
    expect((await look(seen, 3)).status).toBe('paused');
    watch.stop();
  });

  it('does not resume a session that was paused for another reason', async () => {
    const { agent, watch, look, reports } = await createWatchedAgent();
    await agent.post({ type: 'pause-requested', reason: 'lunch' });
    await look(fullUsage, 5);
    expect(await look(easyUsage, 5)).toMatchObject({ status: 'paused', reason: 'lunch' });
    expect(reports).toEqual([]);
    watch.stop();
  });

  it('does not undo a pause that was requested after its own', async () => {
    const { agent, watch, look } = await createWatchedAgent();
    await look(fullUsage, 3);
    await agent.post({ type: 'resume-requested' });
    await agent.post({ type: 'pause-requested', reason: 'lunch' });
    expect(await look(easyUsage, 5)).toMatchObject({ status: 'paused', reason: 'lunch' });
    watch.stop();
  });

  it('does not pause again after a user resumes, until resources have recovered once', async () => {
    const { agent, watch, look } = await createWatchedAgent();
    await look(fullUsage, 3);
    await agent.post({ type: 'resume-requested' });
    expect((await look(fullUsage, 9)).status).toBe('executingTools');
    await look(easyUsage, 3);
    expect((await look(fullUsage, 3)).status).toBe('paused');
    watch.stop();
  });

  it('does not pause a session that waits for the user', async () => {
    const { agent, watch, look, release } = await createWatchedAgent();
    release();
    await agent.waitUntilIdle();
    expect((await look(fullUsage, 6)).status).toBe('waitingForUser');
    watch.stop();
  });

  it('reports once that it cannot measure, and continues', async () => {
    const { watch, look, reports } = await createWatchedAgent(() =>
      Promise.reject(new Error('no such disk')),
    );
    expect((await look(easyUsage, 6)).status).toBe('executingTools');
    expect(reports).toEqual(['Resource usage cannot be measured: no such disk']);
    watch.stop();
  });

  it('ends with the session', async () => {
    const { agent, watch, look, clock } = await createWatchedAgent();
    await look(easyUsage);
    await agent.post({ type: 'halt-requested', reason: 'enough' });
    await clock.pass();
    await watch.stopped;
    expect(agent.session.turn.status).toBe('halted');
  });
});

describe('systemProbe', () => {
  it('measures this machine [NEX-121]', async () => {
    const probe = createSystemProbe('.');
    const end = performance.now() + 60;
    while (performance.now() < end);
    const seen = await probe();
    expect(seen.cpuUsed).toBeGreaterThan(0);
    expect(seen.cpuUsed).toBeLessThanOrEqual(1);
    expect(seen.memoryUsed).toBeGreaterThan(0);
    expect(seen.memoryUsed).toBeLessThanOrEqual(1);
    expect(seen.diskFreeBytes).toBeGreaterThan(0);
  });

  it('reports NaN for a disk that cannot be measured', async () => {
    expect((await createSystemProbe('/there/is/no/folder')()).diskFreeBytes).toBeNaN();
  });
});
