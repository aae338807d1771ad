import { createSession, type Event } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent, type StoreOutage } from '../src/agent/agent.ts';
import { createScriptedModel } from '../src/models/scripted.ts';
import type { Model } from '../src/models/model.ts';
import { createStoreEventLog } from '../src/store/store-event-log.ts';
import { createMemoryStore } from '../src/store/memory-store.ts';
import { StoreError } from '../src/store/store-error.ts';
import { resumeSession } from '../src/store/resume-session.ts';
import { defineTool, createToolFailure, type Tool } from '../src/tools/tool.ts';

const calls = [{ id: 'a', tool: 'act', args: {} }];
const session = createSession({ id: 's', at: 0 });

/** Runs until it is called off. */
function createSlowTool(started: () => void): Tool {
  return defineTool({
    name: 'act',
    description: 'Acts.',
    parameters: z.object({}),
    run: (_args, { signal }) =>
      new Promise((resolve) => {
        started();
        signal.addEventListener('abort', () =>
          resolve(createToolFailure('cancelled', 'half of it was done')),
        );
      }),
  });
}

describe('detaching from a session', () => {
  it('cancels running work, persists its results, starts nothing new, and the session continues in another process', async () => {
    const store = createMemoryStore();
    const log = createStoreEventLog(store, 's', await store.create(session, 'one'));
    const started = Promise.withResolvers<void>();
    const agent = new Agent({
      session,
      log,
      model: createScriptedModel([{ calls }, { text: 'too early' }]),
      tools: [createSlowTool(started.resolve)],
    });
    void agent.sendMessage('go');
    await started.promise;
    const idle = agent.waitUntilIdle();
    await agent.detach();
    expect((await idle).turn.status).toBe('callingModel');
    expect(await agent.post({ type: 'cancel-requested' })).toBe(false);
    const resumed = await resumeSession(store, 's', { owner: 'two' });
    const errors: unknown[] = [];
    const next = new Agent({
      ...resumed,
      model: createScriptedModel([{ text: 'Done.' }]),
      tools: [],
      observe: ({ event }) => errors.push(event.type),
    });
    await next.resume();
    expect((await next.waitUntilIdle()).turn.status).toBe('waitingForUser');
    expect(errors).toEqual(['text-delta', 'model-replied']);
    expect(JSON.stringify(next.session.turn)).toContain('half of it was done');
  });

  it('waits no longer than the grace period for work that ignores the signal', async () => {
    const started = Promise.withResolvers<void>();
    const uncancellableTool = defineTool({
      name: 'act',
      description: 'Acts.',
      parameters: z.object({}),
      run: () => new Promise(() => started.resolve()),
    });
    const agent = new Agent({ model: createScriptedModel([{ calls }]), tools: [uncancellableTool] });
    void agent.sendMessage('go');
    await started.promise;
    await agent.detach({ graceMs: 20 });
    expect(agent.session.turn.status).toBe('executingTools');
  });

  it('leaves permission prompts open: the next process asks again', async () => {
    const asked = Promise.withResolvers<void>();
    const agent = new Agent({
      model: createScriptedModel([{ calls }]),
      tools: [createSlowTool(() => undefined)],
      rules: () => 'ask',
      decide: (_call, signal) =>
        new Promise((resolve) => {
          asked.resolve();
          signal.addEventListener('abort', () => resolve({ decision: 'deny' }));
        }),
    });
    void agent.sendMessage('go');
    await asked.promise;
    await agent.detach();
    expect(agent.session.turn.status).toBe('awaitingPermission');
  });
});

const createFullError = (): StoreError => new StoreError('full', 'here');

describe('a log without space', () => {
  it('blocks the work, which continues on its own with no event lost or out of order', async () => {
    const events: Event[] = [];
    const outages: (StoreOutage | null)[] = [];
    let refusals = 0;
    const agent = new Agent({
      model: createScriptedModel([{ calls }, { text: 'Done.' }]),
      tools: [defineTool({ name: 'act', description: 'Acts.', parameters: z.object({}), run: resolveActed })],
      clock: { now: () => 5, sleepUntil: () => Promise.resolve() },
      log: {
        append(more) {
          if (events.length === 1 && refusals < 3) {
            refusals += 1;
            throw createFullError();
          }
          events.push(...more);
        },
      },
      onStoreOutage: (outage) => outages.push(outage),
    });
    void agent.sendMessage('go');
    expect((await agent.waitUntilIdle()).turn.status).toBe('waitingForUser');
    expect(events.map(({ type }) => type)).toEqual([
      'user-message',
      'model-replied',
      'tool-started',
      'tool-finished',
      'model-replied',
    ]);
    expect(outages.map((outage) => outage?.kind ?? null)).toEqual(['full', 'full', 'full', null]);
  });

  it('can be detached from, and nothing is written after the events that did not fit', async () => {
    const written: string[] = [];
    const outageReported = Promise.withResolvers<void>();
    const mute: Model = {
      name: 'mute',
      // oxlint-disable-next-line require-yield
      async *stream() {
        await new Promise(() => undefined);
      },
    };
    const agent = new Agent({
      model: mute,
      tools: [],
      log: {
        append(events) {
          if (events.some(({ type }) => type === 'pause-requested')) throw createFullError();
          written.push(...events.map(({ type }) => type));
        },
      },
      onStoreOutage: () => outageReported.resolve(),
    });
    void agent.sendMessage('go');
    const paused = agent.post({ type: 'pause-requested', reason: 'x' });
    const cancelled = agent.post({ type: 'cancel-requested' });
    await outageReported.promise;
    await agent.detach({ graceMs: 10 });
    expect(await Promise.all([paused, cancelled])).toEqual([false, false]);
    expect(written).toEqual(['user-message']);
  });
});

function resolveActed(): Promise<{ ok: true; output: number }> {
  return Promise.resolve({ ok: true, output: 1 });
}
