import { createSession, type Event, type RequestedCall, type Session } from '@pawl/core';
import { createMemory, memorySettings, putEntry } from '@pawl/core/memory';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent, type AgentOptions } from '../../src/agent/agent.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { SessionCommand } from '../../src/store/command-channel.ts';
import { createCommandInbox, type CommandInbox } from '../../src/agent/command-inbox.ts';
import { createInMemoryStorage } from '../../src/memory/in-memory-storage.ts';
import { createMemoryManager } from '../../src/memory/memory-manager.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { createStoreEventLog } from '../../src/store/store-event-log.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { listStoredEvents, createSampleSession } from '../store/sample-session.ts';

type InboxSetup = {
  readonly agent: Agent;
  readonly inbox: CommandInbox;
  readonly store: Store;
  readonly kinds: () => Promise<readonly Event['type'][]>;
  readonly send: (command: SessionCommand) => Promise<string>;
};

async function createInboxSetup(
  initial: Session = createSampleSession(),
  more: Partial<AgentOptions> = {},
): Promise<InboxSetup> {
  const store = createMemoryStore();
  const position = await store.create(initial, 'me');
  const inbox = createCommandInbox(store.commands, 'a', position.fence);
  const agent = new Agent({
    session: initial,
    log: createStoreEventLog(store, 'a', position),
    model: createScriptedModel([{ text: 'One.' }, { text: 'Two.' }]),
    tools: [],
    observe: (seen) => inbox.observe(seen),
    ...more,
  });
  return {
    agent,
    inbox,
    store,
    kinds: async () => (await listStoredEvents(store, 'a')).map(({ type }) => type),
    send: (command) => store.commands.send('a', command),
  };
}

function createCutCall(id: string): RequestedCall {
  return { id, tool: 'cut', args: { what: id } };
}

describe('a command from another process', () => {
  it('is left to the current owner by an agent that has lost its claim', async () => {
    const { agent, inbox, store, send } = await createInboxSetup();
    await send({ kind: 'resume' });
    await inbox.executePending(agent);
    expect(await store.commands.listPending('a')).toEqual([]);
    await store.claim('a', 'other');
    // It means nothing to the session as this one knows it, and the other may know better.
    const id = await send({ kind: 'resume' });
    await expect(inbox.executePending(agent)).rejects.toThrow('Another owner holds the session');
    expect(await store.commands.listPending('a')).toEqual([{ id, command: { kind: 'resume' } }]);
  });

  it('is executed once, in order, and then removed', async () => {
    const { agent, inbox, store, kinds, send } = await createInboxSetup();
    await send({ kind: 'phase', number: 1, description: 'Looking' });
    await send({ kind: 'say', text: 'What is it?' });
    expect(await inbox.executePending(agent)).toBe(2);
    expect(await store.commands.listPending('a')).toEqual([]);
    await agent.waitUntilIdle();
    expect(await inbox.executePending(agent)).toBe(0);
    expect(await kinds()).toEqual(['phase-started', 'steered', 'model-replied']);
    expect(agent.session.phases.current).toMatchObject({ number: 1, description: 'Looking' });
  });

  it('is removed without an event if it has no effect', async () => {
    const { agent, inbox, store, kinds, send } = await createInboxSetup();
    await send({ kind: 'decide', callId: 'none', decision: 'allow' });
    await send({ kind: 'resume' });
    expect(await inbox.executePending(agent)).toBe(2);
    expect(await store.commands.listPending('a')).toEqual([]);
    expect(await kinds()).toEqual([]);
  });

  it('is left for the next owner by an agent that was detached', async () => {
    const { agent, inbox, store, kinds, send } = await createInboxSetup();
    await send({ kind: 'say', text: 'Too late.' });
    await agent.detach();
    await inbox.executePending(agent);
    expect(await store.commands.listPending('a')).toHaveLength(1);
    expect(await kinds()).toEqual([]);
  });

  it('is left for the owner that claimed the session meanwhile', async () => {
    const { agent, inbox, store, kinds, send } = await createInboxSetup();
    await send({ kind: 'say', text: 'For the other.' });
    await store.claim('a', 'another');
    await inbox.executePending(agent);
    await expect(agent.ended).rejects.toThrow('Another owner holds the session');
    expect(await store.commands.listPending('a')).toHaveLength(1);
    expect(await kinds()).toEqual([]);
  });

  it('moves a memory entry to storage, where it can be found', async () => {
    const memory = putEntry(createMemory(memorySettings.pawl), {
      key: 'plan',
      value: 'First the roof.',
      at: 1,
    });
    const storage = createInMemoryStorage();
    const manager = createMemoryManager({ memory, storage, clock: systemClock });
    const remembering = { ...createSession({ id: 'a', at: 1_000 }), memory };
    const { agent, inbox, kinds, send } = await createInboxSetup(remembering, { memory: manager });
    await send({ kind: 'memory', action: 'pin', key: 'plan' });
    await send({ kind: 'memory', action: 'evict', key: 'plan' });
    await send({ kind: 'memory', action: 'unpin', key: 'plan' });
    await send({ kind: 'memory', action: 'evict', key: 'plan' });
    expect(await inbox.executePending(agent)).toBe(4);
    // What is pinned does not go.
    expect(await kinds()).toEqual([
      'memory-command-requested',
      'memory-command-requested',
      'memory-command-requested',
    ]);
    expect(await storage.load('plan')).toMatchObject({ value: 'First the roof.' });
    expect(manager.memory).toBe(agent.session.memory);
  });

  it('answers one permission prompt, which is then cancelled, while others stay open', async () => {
    const ran: string[] = [];
    const tool = defineTool({
      name: 'cut',
      description: 'Cuts something.',
      parameters: z.object({ what: z.string() }),
      run: async ({ what }) => {
        ran.push(what);
        return { ok: true, output: 'cut' };
      },
    });
    const asked = new Map<string, AbortSignal>();
    const { agent, inbox, kinds, send } = await createInboxSetup(createSampleSession(), {
      model: createScriptedModel([
        { calls: [createCutCall('hedge'), createCutCall('tree')] },
        { text: 'Done.' },
      ]),
      tools: [tool],
      rules: () => 'ask',
      decide: (call, signal) => {
        asked.set(call.id, signal);
        return new Promise(() => undefined);
      },
    });
    void agent.sendMessage('Cut them.');
    await expect.poll(() => [...asked.keys()]).toEqual(['hedge', 'tree']);
    await send({ kind: 'decide', callId: 'hedge', decision: 'allow' });
    await inbox.executePending(agent);
    expect([...asked.values()].map(({ aborted }) => aborted)).toEqual([true, false]);
    await send({ kind: 'decide', callId: 'tree', decision: 'deny', reason: 'it is old' });
    await inbox.executePending(agent);
    await agent.waitUntilIdle();
    expect([...asked.values()].map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(ran).toEqual(['hedge']);
    expect((await kinds()).filter((kind) => kind === 'permission-decided')).toHaveLength(2);
  });
});
