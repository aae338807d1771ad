import {
  Agent,
  createMemoryLog,
  systemClock,
  resumeSession,
  type AgentOptions,
  type EventLog,
  type Model,
  type StepResult,
  type Tool,
} from '../src/index.ts';
import { createScriptedModel } from '../src/models-entry.ts';
import { createMemoryStore, createStoreEventLog, StoreError, type Store } from '../src/store-entry.ts';
import { getConversation, step, type Event, type Session, toItemArray } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { createSampleSession as fresh } from './store/sample-session.ts';

type EventTypes = readonly Event['type'][];

/** A log that notes what it is asked to keep in one go, and may be told when to keep it, or that it cannot. */
function createObservedLog(before: (types: EventTypes) => void | Promise<void> = () => undefined) {
  const tried: EventTypes[] = [];
  const commits: EventTypes[] = [];
  const events: Event[] = [];
  const log: EventLog = {
    async append(more) {
      const types = more.map(({ type }) => type);
      tried.push(types);
      await before(types);
      commits.push(types);
      events.push(...more);
    },
  };
  return { log, tried, commits, events };
}

/** Waits before events of a type are kept until it is let go. */
function createAppendGate(type: Event['type']) {
  const reached = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const wait = async (types: EventTypes): Promise<void> => {
    if (!types.includes(type)) return;
    reached.resolve();
    await open.promise;
  };
  return { wait, reached: reached.promise, open: open.resolve };
}

function createRecordingTool(name: string, ran: string[], more: Partial<Tool> = {}): Tool {
  return {
    description: { name, description: name, parameters: { type: 'object' } },
    effect: 'read-only',
    run: async () => {
      ran.push(name);
      return { ok: true, output: name };
    },
    ...more,
  };
}

const createCall = (name: string, id: string) => ({ id, tool: name, args: {} });
const fixedClock = { now: () => 5, sleepUntil: () => Promise.resolve() };

function createObservedAgent(options: Partial<AgentOptions>) {
  const seen: StepResult[] = [];
  const ran: string[] = [];
  const agent: Agent = new Agent({
    session: fresh(),
    model: createScriptedModel([{ calls: [createCall('read', 'a')] }, { text: 'Done.' }]),
    tools: [
      createRecordingTool('read', ran),
      createRecordingTool('write', ran, { effect: 'not-repeatable' }),
    ],
    clock: fixedClock,
    observe: (each) => {
      expect(agent.session).toBe(each.session);
      seen.push(each);
    },
    ...options,
  });
  return { agent, seen, ran };
}

const listEventTypes = (seen: readonly StepResult[]): EventTypes => seen.map(({ event }) => event.type);

/** All that is waiting to happen at once has happened: nothing here waits for a timer. */
const waitForPendingWork = (): Promise<void> =>
  new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('a reply and the starts of its calls', () => {
  it('are persisted in one append', async () => {
    const { log, commits } = createObservedLog();
    const { agent } = createObservedAgent({ log });
    await agent.sendMessage('go');
    await agent.waitUntilIdle();
    expect(commits).toEqual([
      ['user-message'],
      ['model-replied', 'tool-started'],
      ['tool-finished'],
      ['model-replied'],
    ]);
  });

  it.each<[string, readonly string[], readonly EventTypes[]]>([
    ['all of them, where calls run side by side', ['read', 'read'], [['tool-started', 'tool-started']]],
    ['the first, where they run one after the other', ['read', 'write'], [['tool-started']]],
    ['also where there is no such tool', ['none'], [['tool-started']]],
    ['not that of a tool that runs before it says what it will do', ['check'], [[], ['tool-started']]],
    ['not where such a tool is among them', ['read', 'check'], [[], ['tool-started']]],
  ])('%s', async (_, tools, [starts, ...others]) => {
    const { log, commits } = createObservedLog();
    const calls = tools.map((name, index) => createCall(name, `c${index}`));
    const check = createRecordingTool('check', [], {
      effect: 'verifiable',
      reconcile: async () => ({ ok: true, output: null }),
      run: async (_args, { execution }) => {
        await execution?.recordIntent(null);
        return { ok: true, output: null };
      },
    });
    const ran: string[] = [];
    const write = createRecordingTool('write', ran, { effect: 'not-repeatable' });
    const { agent } = createObservedAgent({
      log,
      tools: [createRecordingTool('read', ran), write, check],
      model: createScriptedModel([{ calls }, { text: 'Done.' }]),
    });
    await agent.sendMessage('go');
    await agent.waitUntilIdle();
    expect(commits[1]).toEqual(['model-replied', ...(starts ?? [])]);
    expect(commits.slice(2, 2 + others.length)).toEqual(others);
    expect(commits.flat().filter((type) => type === 'tool-finished')).toHaveLength(tools.length);
  });

  it('show nothing, resolve nothing, change nothing and run nothing before they are persisted', async () => {
    const { wait, reached, open } = createAppendGate('tool-started');
    const { log } = createObservedLog(wait);
    let hasHeard = false;
    const model: Model = {
      name: 'one call',
      async *stream() {
        try {
          yield { type: 'reply', text: '', calls: [createCall('read', 'a')] };
        } finally {
          hasHeard = true;
        }
      },
    };
    const { agent, seen, ran } = createObservedAgent({ log, model });
    await agent.sendMessage('go');
    const before = agent.session;
    await reached;
    const messageSent = agent.sendMessage('And?');
    expect(await Promise.race([messageSent, waitForPendingWork()])).toBeUndefined();
    expect({ seen: listEventTypes(seen), ran, hasHeard }).toEqual({
      seen: ['user-message'],
      ran: [],
      hasHeard: false,
    });
    expect(agent.session).toBe(before);
    open();
    expect(await messageSent).toBe(true);
    expect(listEventTypes(seen).slice(0, 3)).toEqual(['user-message', 'model-replied', 'tool-started']);
    expect(ran[0]).toBe('read');
    expect(hasHeard).toBe(true);
    await agent.detach();
  });

  it('are observed as if each was persisted separately: the same events, sessions, actions and notes', async () => {
    const calls = [createCall('read', 'a'), createCall('read', 'b')];
    const mixed = [createCall('read', 'd'), createCall('write', 'e'), createCall('none', 'f')];
    const replies = [
      { text: 'Both.', calls },
      { calls: [createCall('deny', 'c')] },
      { calls: mixed },
      { text: 'Done.' },
    ];
    const collectStepResults = async (togetherMax: number): Promise<readonly StepResult[]> => {
      const { agent, seen } = createObservedAgent({
        log: { togetherMax, append: () => undefined },
        model: createScriptedModel(replies),
        rules: (asked) => (asked.tool === 'deny' ? 'deny' : 'allow'),
      });
      await agent.sendMessage('go');
      await agent.waitUntilIdle();
      return seen;
    };
    const together = await collectStepResults(100);
    expect(together).toEqual(await collectStepResults(1));
    let session: Session = fresh();
    for (const { event, ...result } of together) {
      expect(result).toEqual(step(session, event));
      session = result.session;
    }
    expect(together.length).toBeGreaterThan(12);
  });

  it('do not exceed the batch size of the log', async () => {
    const calls = Array.from({ length: 250 }, (_, index) => createCall('read', `c${index}`));
    const { log, commits } = createObservedLog();
    const { agent, ran } = createObservedAgent({
      log,
      model: createScriptedModel([{ calls }, { text: 'Done.' }]),
    });
    await agent.sendMessage('go');
    await agent.waitUntilIdle();
    expect(Math.max(...commits.map(({ length }) => length))).toBe(100);
    expect(ran).toHaveLength(250);
  });
});

describe('a denied call', () => {
  it('has its result persisted with the reply and the start of an allowed call', async () => {
    const { log, commits } = createObservedLog();
    const { agent, ran } = createObservedAgent({
      log,
      model: createScriptedModel([
        { calls: [createCall('write', 'a'), createCall('read', 'b')] },
        { text: 'Done.' },
      ]),
      rules: (asked) => (asked.tool === 'write' ? 'deny' : 'allow'),
    });
    await agent.sendMessage('go');
    const end = await agent.waitUntilIdle();
    expect(commits.slice(0, 3)).toEqual([
      ['user-message'],
      ['model-replied', 'tool-started'],
      ['tool-finished'],
    ]);
    expect(ran).toEqual(['read']);
    const results = toItemArray(getConversation(end)).filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([
      { callId: 'a', outcome: { ok: false } },
      { callId: 'b', outcome: { ok: true } },
    ]);
  });

  it('that a user allows starts with that decision', async () => {
    const { log, commits } = createObservedLog();
    const { agent } = createObservedAgent({
      log,
      rules: () => 'ask',
      decide: async () => ({ decision: 'allow' }),
    });
    await agent.sendMessage('go');
    await agent.waitUntilIdle();
    expect(commits.slice(1, 3)).toEqual([['model-replied'], ['permission-decided', 'tool-started']]);
  });
});

/** The reply comes while something else is being kept, and so does what the user does after it. */
async function runWithEarlyReply(act: (agent: Agent) => Promise<boolean>) {
  const { wait, reached, open } = createAppendGate('steered');
  const { log, commits } = createObservedLog(wait);
  const replies = Promise.withResolvers<void>();
  const scripted = createScriptedModel([{ calls: [createCall('read', 'a')] }, { text: 'Done.' }]);
  const model: Model = {
    name: 'held',
    async *stream(request, signal) {
      await replies.promise;
      yield* scripted.stream(request, signal);
    },
  };
  const { agent, ran, seen } = createObservedAgent({ log, model });
  await agent.sendMessage('go');
  void agent.sendMessage('Wait.');
  await reached;
  replies.resolve();
  await waitForPendingWork();
  const resumed = act(agent);
  open();
  expect(await resumed).toBe(true);
  await agent.waitUntilIdle();
  return { agent, ran, seen, commits };
}

describe('a user action between a reply and its calls', () => {
  it('cancels the calls before they start', async () => {
    const { agent, ran, commits } = await runWithEarlyReply((each) =>
      each.post({ type: 'cancel-requested' }),
    );
    expect(commits).toEqual([['user-message'], ['steered'], ['model-replied', 'cancel-requested']]);
    expect(ran).toEqual([]);
    const messages = toItemArray(getConversation(agent.session));
    expect(messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { callId: 'a', outcome: { ok: false } },
    ]);
  });

  it('is persisted with them, in order, if it is steering', async () => {
    const { ran, seen, commits } = await runWithEarlyReply((each) => each.sendMessage('And more.'));
    expect(commits[2]).toEqual(['model-replied', 'steered', 'tool-started']);
    expect(listEventTypes(seen).filter((type) => !type.endsWith('delta'))).toEqual(commits.flat());
    expect(ran).toEqual(['read']);
  });
});

describe('a log that rejects a reply with its starts', () => {
  it('is retried with all events, without notifying observers in between', async () => {
    const outages: unknown[] = [];
    const eventTypes: EventTypes[] = [];
    let refusals = 3;
    const { log, tried, commits } = createObservedLog((types) => {
      if (!types.includes('tool-started') || refusals === 0) return;
      refusals -= 1;
      eventTypes.push(listEventTypes(seen));
      throw new StoreError(refusals === 1 ? 'busy' : 'full', 'here');
    });
    const { agent, seen, ran } = createObservedAgent({
      log,
      onStoreOutage: (outage) => outages.push(outage?.kind ?? null),
    });
    await agent.sendMessage('go');
    await agent.waitUntilIdle();
    const group = ['model-replied', 'tool-started'];
    expect(tried).toEqual([
      ['user-message'],
      group,
      group,
      group,
      group,
      ['tool-finished'],
      ['model-replied'],
    ]);
    expect(eventTypes).toEqual([['user-message'], ['user-message'], ['user-message']]);
    expect(outages).toEqual(['full', 'busy', 'full', null]);
    expect({ ran, commits: commits.length }).toEqual({ ran: ['read'], commits: 4 });
  });

  it.each<[string, () => Error]>([
    ['permanently', () => new Error('gone')],
    ['because another owner holds the session', () => new StoreError('held', 'session "a"', 'x')],
  ])('%s ends the session before any effect', async (_, error) => {
    const { log, events } = createObservedLog((types) => {
      if (types.includes('tool-started')) throw error();
    });
    const { agent, seen, ran } = createObservedAgent({ log });
    await agent.sendMessage('go');
    await expect(agent.ended).rejects.toThrow('The event log could not be written');
    await waitForPendingWork();
    expect({ ran, seen: listEventTypes(seen), seq: agent.session.seq }).toEqual({
      ran: [],
      seen: ['user-message'],
      seq: 1,
    });
    expect(agent.session).toEqual(step(fresh(), events[0] as Event).session);
    expect(await agent.sendMessage('Still there?')).toBe(false);
  });

  it('is not retried by a detached agent, and nothing is persisted or shown', async () => {
    const outageReported = Promise.withResolvers<void>();
    const { log, commits } = createObservedLog((types) => {
      if (types.includes('tool-started')) throw new StoreError('full', 'here');
    });
    const { agent, seen, ran } = createObservedAgent({ log, onStoreOutage: () => outageReported.resolve() });
    await agent.sendMessage('go');
    await outageReported.promise;
    await agent.detach();
    expect({ ran, seen: listEventTypes(seen), commits, seq: agent.session.seq }).toEqual({
      ran: [],
      seen: ['user-message'],
      commits: [['user-message']],
      seq: 1,
    });
  });

  it('persists all or nothing if the agent is detached meanwhile', async () => {
    const { wait, reached, open } = createAppendGate('tool-started');
    const { log, commits, events } = createObservedLog(wait);
    const { agent, seen } = createObservedAgent({ log, clock: systemClock });
    await agent.sendMessage('go');
    await reached;
    const left = agent.detach();
    open();
    await left;
    expect(commits[1]).toEqual(['model-replied', 'tool-started']);
    expect(listEventTypes(seen)).toEqual(events.map(({ type }) => type));
    expect(agent.session.seq).toBe(events.length);
  });
});

/** A store whose append fails once in a way that tells nothing, for a group; with what was kept, or without. */
function createUncertainStore(store: Store, isKept: boolean): Store {
  let isDue = true;
  return {
    ...store,
    async append(id, at, events, after) {
      if (!isDue || events.length === 1) return store.append(id, at, events, after);
      isDue = false;
      if (isKept) await store.append(id, at, events, after);
      throw new StoreError('unreadable', 'the disk', 'EIO');
    },
  };
}

describe('a log in a store', () => {
  it.each([true, false])('has the events once after an append with unknown result (%s)', async (isKept) => {
    const store = createMemoryStore();
    const position = await store.create(fresh(), 'me');
    const { agent, ran } = createObservedAgent({
      log: createStoreEventLog(createUncertainStore(store, isKept), 'a', position),
    });
    await agent.sendMessage('go');
    const end = await agent.waitUntilIdle();
    expect(ran).toEqual(['read']);
    expect((await store.open('a')).session).toStrictEqual(end);
    expect(await store.verify('a')).toEqual({ ok: true, head: 5 });
  });

  it('that ends after a reply alone is resumed: the calls start and get their results', async () => {
    const store = createMemoryStore();
    const calls = [createCall('read', 'x'), createCall('read', 'y')];
    const events: readonly Event[] = [
      { type: 'user-message', at: 1, text: 'go' },
      { type: 'model-replied', at: 2, text: '', calls },
    ];
    const after = events.reduce((session, event) => step(session, event).session, fresh());
    await store.append('a', await store.create(fresh(), 'older'), events, after);
    const resumed = await resumeSession(store, 'a', { owner: 'newer' });
    const { log, commits } = createObservedLog();
    const both: EventLog = {
      async append(more, session) {
        await resumed.log.append(more, session);
        await log.append(more, session);
      },
    };
    const model = createScriptedModel([{ text: 'Done.' }]);
    const { agent, ran } = createObservedAgent({ session: resumed.session, log: both, model });
    await agent.resume();
    await agent.waitUntilIdle();
    expect(commits.flat()).toEqual([
      'tool-started',
      'tool-started',
      'tool-finished',
      'tool-finished',
      'model-replied',
    ]);
    expect(ran).toEqual(['read', 'read']);
  });

  it('in memory has the events of every append', async () => {
    const log = createMemoryLog();
    const { agent } = createObservedAgent({ log });
    await agent.sendMessage('go');
    await agent.waitUntilIdle();
    expect(log.events).toHaveLength(agent.session.seq);
  });
});
