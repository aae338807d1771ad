import { conversationOf, step, toArray, type Event, type Session } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import {
  Agent,
  createMemoryLog,
  createMemoryStore,
  createScripted,
  eventLogOn,
  StoreError,
  systemClock,
  takeUp,
  type AgentOptions,
  type EventLog,
  type Model,
  type Seen,
  type Store,
  type Tool,
} from '../src/index.ts';
import { session as fresh } from './store/tale.ts';

type Types = readonly Event['type'][];

/** A log that notes what it is asked to keep in one go, and may be told when to keep it, or that it cannot. */
function watchedLog(before: (types: Types) => void | Promise<void> = () => undefined) {
  const tried: Types[] = [];
  const commits: Types[] = [];
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
function gate(type: Event['type']) {
  const reached = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const wait = async (types: Types): Promise<void> => {
    if (!types.includes(type)) return;
    reached.resolve();
    await open.promise;
  };
  return { wait, reached: reached.promise, open: open.resolve };
}

function tool(name: string, ran: string[], more: Partial<Tool> = {}): Tool {
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

const call = (name: string, id: string) => ({ id, tool: name, args: {} });
const clock = { now: () => 5, until: () => Promise.resolve() };

function agentWith(options: Partial<AgentOptions>) {
  const seen: Seen[] = [];
  const ran: string[] = [];
  const agent: Agent = new Agent({
    session: fresh(),
    model: createScripted([{ calls: [call('read', 'a')] }, { text: 'Done.' }]),
    tools: [tool('read', ran), tool('write', ran, { effect: 'not-repeatable' })],
    clock,
    observe: (each) => {
      expect(agent.session).toBe(each.session);
      seen.push(each);
    },
    ...options,
  });
  return { agent, seen, ran };
}

const typesOf = (seen: readonly Seen[]): Types => seen.map(({ event }) => event.type);

/** All that is waiting to happen at once has happened. */
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

describe('a reply and the starts of its calls', () => {
  it('are kept in one go', async () => {
    const { log, commits } = watchedLog();
    const { agent } = agentWith({ log });
    await agent.say('go');
    await agent.idle();
    expect(commits).toEqual([
      ['user-message'],
      ['model-replied', 'tool-started'],
      ['tool-finished'],
      ['model-replied'],
    ]);
  });

  it.each<[string, readonly string[], readonly Types[]]>([
    ['all of them, where calls run side by side', ['read', 'read'], [['tool-started', 'tool-started']]],
    ['the first, where they run one after the other', ['read', 'write'], [['tool-started']]],
    ['also where there is no such tool', ['none'], [['tool-started']]],
    ['not that of a tool that runs before it says what it will do', ['check'], [[], ['tool-started']]],
    ['not where such a tool is among them', ['read', 'check'], [[], ['tool-started']]],
  ])('%s', async (_, tools, [starts, ...others]) => {
    const { log, commits } = watchedLog();
    const calls = tools.map((name, index) => call(name, `c${index}`));
    const check = tool('check', [], {
      effect: 'verifiable',
      settle: async () => ({ ok: true, output: null }),
      run: async (_args, { execution }) => {
        await execution?.intend(null);
        return { ok: true, output: null };
      },
    });
    const ran: string[] = [];
    const write = tool('write', ran, { effect: 'not-repeatable' });
    const { agent } = agentWith({
      log,
      tools: [tool('read', ran), write, check],
      model: createScripted([{ calls }, { text: 'Done.' }]),
    });
    await agent.say('go');
    await agent.idle();
    expect(commits[1]).toEqual(['model-replied', ...(starts ?? [])]);
    expect(commits.slice(2, 2 + others.length)).toEqual(others);
    expect(commits.flat().filter((type) => type === 'tool-finished')).toHaveLength(tools.length);
  });

  it('show nothing, resolve nothing, change nothing and run nothing before they are kept', async () => {
    const { wait, reached, open } = gate('tool-started');
    const { log } = watchedLog(wait);
    let hasHeard = false;
    const model: Model = {
      name: 'one call',
      async *stream() {
        try {
          yield { type: 'reply', text: '', calls: [call('read', 'a')] };
        } finally {
          hasHeard = true;
        }
      },
    };
    const { agent, seen, ran } = agentWith({ log, model });
    await agent.say('go');
    const before = agent.session;
    await reached;
    const said = agent.say('And?');
    expect(await Promise.race([said, soon()])).toBeUndefined();
    expect({ seen: typesOf(seen), ran, hasHeard }).toEqual({
      seen: ['user-message'],
      ran: [],
      hasHeard: false,
    });
    expect(agent.session).toBe(before);
    open();
    expect(await said).toBe(true);
    expect(typesOf(seen).slice(0, 3)).toEqual(['user-message', 'model-replied', 'tool-started']);
    expect(ran[0]).toBe('read');
    expect(hasHeard).toBe(true);
    await agent.leave();
  });

  it('are seen as they are when each is kept by itself: the same events, sessions, actions and notes', async () => {
    const calls = [call('read', 'a'), call('read', 'b')];
    const mixed = [call('read', 'd'), call('write', 'e'), call('none', 'f')];
    const replies = [
      { text: 'Both.', calls },
      { calls: [call('deny', 'c')] },
      { calls: mixed },
      { text: 'Done.' },
    ];
    const seenWith = async (togetherMax: number): Promise<readonly Seen[]> => {
      const { agent, seen } = agentWith({
        log: { togetherMax, append: () => undefined },
        model: createScripted(replies),
        rules: (asked) => (asked.tool === 'deny' ? 'deny' : 'allow'),
      });
      await agent.say('go');
      await agent.idle();
      return seen;
    };
    const together = await seenWith(100);
    expect(together).toEqual(await seenWith(1));
    let session: Session = fresh();
    for (const { event, ...result } of together) {
      expect(result).toEqual(step(session, event));
      session = result.session;
    }
    expect(together.length).toBeGreaterThan(12);
  });

  it('are no more than the log wants at once', async () => {
    const calls = Array.from({ length: 250 }, (_, index) => call('read', `c${index}`));
    const { log, commits } = watchedLog();
    const { agent, ran } = agentWith({ log, model: createScripted([{ calls }, { text: 'Done.' }]) });
    await agent.say('go');
    await agent.idle();
    expect(Math.max(...commits.map(({ length }) => length))).toBe(100);
    expect(ran).toHaveLength(250);
  });
});

describe('a denied call', () => {
  it('has its result with the reply, beside the start of one that is allowed', async () => {
    const { log, commits } = watchedLog();
    const { agent, ran } = agentWith({
      log,
      model: createScripted([{ calls: [call('write', 'a'), call('read', 'b')] }, { text: 'Done.' }]),
      rules: (asked) => (asked.tool === 'write' ? 'deny' : 'allow'),
    });
    await agent.say('go');
    const end = await agent.idle();
    expect(commits.slice(0, 3)).toEqual([
      ['user-message'],
      ['model-replied', 'tool-started'],
      ['tool-finished'],
    ]);
    expect(ran).toEqual(['read']);
    const results = toArray(conversationOf(end)).filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([
      { callId: 'a', outcome: { ok: false } },
      { callId: 'b', outcome: { ok: true } },
    ]);
  });

  it('that a person allows starts with the word of that person', async () => {
    const { log, commits } = watchedLog();
    const { agent } = agentWith({
      log,
      rules: () => 'ask',
      decide: async () => ({ decision: 'allow' }),
    });
    await agent.say('go');
    await agent.idle();
    expect(commits.slice(1, 3)).toEqual([['model-replied'], ['permission-decided', 'tool-started']]);
  });
});

/** The reply comes while something else is being kept, and so does what the user does after it. */
async function withReplyBefore(act: (agent: Agent) => Promise<boolean>) {
  const { wait, reached, open } = gate('steered');
  const { log, commits } = watchedLog(wait);
  const replies = Promise.withResolvers<void>();
  const scripted = createScripted([{ calls: [call('read', 'a')] }, { text: 'Done.' }]);
  const model: Model = {
    name: 'held',
    async *stream(request, signal) {
      await replies.promise;
      yield* scripted.stream(request, signal);
    },
  };
  const { agent, ran, seen } = agentWith({ log, model });
  await agent.say('go');
  void agent.say('Wait.');
  await reached;
  replies.resolve();
  await soon();
  const taken = act(agent);
  open();
  expect(await taken).toBe(true);
  await agent.idle();
  return { agent, ran, seen, commits };
}

describe('what the user does between a reply and its calls', () => {
  it('calls them off before they start', async () => {
    const { agent, ran, commits } = await withReplyBefore((each) => each.post({ type: 'cancel-requested' }));
    expect(commits).toEqual([['user-message'], ['steered'], ['model-replied', 'cancel-requested']]);
    expect(ran).toEqual([]);
    const messages = toArray(conversationOf(agent.session));
    expect(messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { callId: 'a', outcome: { ok: false } },
    ]);
  });

  it('is kept with them, in its place, when it is only said', async () => {
    const { ran, seen, commits } = await withReplyBefore((each) => each.say('And more.'));
    expect(commits[2]).toEqual(['model-replied', 'steered', 'tool-started']);
    expect(typesOf(seen).filter((type) => !type.endsWith('delta'))).toEqual(commits.flat());
    expect(ran).toEqual(['read']);
  });
});

describe('a log that refuses a reply with its starts', () => {
  it('is tried again with all of it, and nobody is told in between', async () => {
    const troubles: unknown[] = [];
    const told: Types[] = [];
    let refusals = 3;
    const { log, tried, commits } = watchedLog((types) => {
      if (!types.includes('tool-started') || refusals === 0) return;
      refusals -= 1;
      told.push(typesOf(seen));
      throw new StoreError(refusals === 1 ? 'busy' : 'full', 'here');
    });
    const { agent, seen, ran } = agentWith({
      log,
      onTrouble: (trouble) => troubles.push(trouble?.kind ?? null),
    });
    await agent.say('go');
    await agent.idle();
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
    expect(told).toEqual([['user-message'], ['user-message'], ['user-message']]);
    expect(troubles).toEqual(['full', 'busy', 'full', null]);
    expect({ ran, commits: commits.length }).toEqual({ ran: ['read'], commits: 4 });
  });

  it.each<[string, () => Error]>([
    ['for good', () => new Error('gone')],
    ['because somebody else has the session', () => new StoreError('held', 'session "a"', 'x')],
  ])('%s ends the session before anything was done', async (_, error) => {
    const { log, events } = watchedLog((types) => {
      if (types.includes('tool-started')) throw error();
    });
    const { agent, seen, ran } = agentWith({ log });
    await agent.say('go');
    await expect(agent.ended).rejects.toThrow('The event log could not be written');
    await soon();
    expect({ ran, seen: typesOf(seen), seq: agent.session.seq }).toEqual({
      ran: [],
      seen: ['user-message'],
      seq: 1,
    });
    expect(agent.session).toEqual(step(fresh(), events[0] as Event).session);
    expect(await agent.say('Still there?')).toBe(false);
  });

  it('is left alone by an agent that lets go, with nothing of it kept or shown', async () => {
    const troubled = Promise.withResolvers<void>();
    const { log, commits } = watchedLog((types) => {
      if (types.includes('tool-started')) throw new StoreError('full', 'here');
    });
    const { agent, seen, ran } = agentWith({ log, onTrouble: () => troubled.resolve() });
    await agent.say('go');
    await troubled.promise;
    await agent.leave();
    expect({ ran, seen: typesOf(seen), commits, seq: agent.session.seq }).toEqual({
      ran: [],
      seen: ['user-message'],
      commits: [['user-message']],
      seq: 1,
    });
  });

  it('keeps all of it or nothing when the agent lets go meanwhile', async () => {
    const { wait, reached, open } = gate('tool-started');
    const { log, commits, events } = watchedLog(wait);
    const { agent, seen } = agentWith({ log, clock: systemClock });
    await agent.say('go');
    await reached;
    const left = agent.leave();
    open();
    await left;
    expect(commits[1]).toEqual(['model-replied', 'tool-started']);
    expect(typesOf(seen)).toEqual(events.map(({ type }) => type));
    expect(agent.session.seq).toBe(events.length);
  });
});

/** A store whose append fails once in a way that tells nothing, for a group; with what was kept, or without. */
function unsure(store: Store, isKept: boolean): Store {
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
  it.each([true, false])(
    'has the events once, where nobody knew whether they were kept (%s)',
    async (isKept) => {
      const store = createMemoryStore();
      const position = await store.create(fresh(), 'me');
      const { agent, ran } = agentWith({ log: eventLogOn(unsure(store, isKept), 'a', position) });
      await agent.say('go');
      const end = await agent.idle();
      expect(ran).toEqual(['read']);
      expect((await store.open('a')).session).toStrictEqual(end);
      expect(await store.verify('a')).toEqual({ ok: true, head: 5 });
    },
  );

  it('that ends after a reply alone is gone on with: the calls are begun and come to their results', async () => {
    const store = createMemoryStore();
    const calls = [call('read', 'x'), call('read', 'y')];
    const events: readonly Event[] = [
      { type: 'user-message', at: 1, text: 'go' },
      { type: 'model-replied', at: 2, text: '', calls },
    ];
    const after = events.reduce((session, event) => step(session, event).session, fresh());
    await store.append('a', await store.create(fresh(), 'older'), events, after);
    const taken = await takeUp(store, 'a', { owner: 'newer' });
    const { log, commits } = watchedLog();
    const both: EventLog = {
      async append(more, session) {
        await taken.log.append(more, session);
        await log.append(more, session);
      },
    };
    const model = createScripted([{ text: 'Done.' }]);
    const { agent, ran } = agentWith({ session: taken.session, log: both, model });
    await agent.resume();
    await agent.idle();
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
    const { agent } = agentWith({ log });
    await agent.say('go');
    await agent.idle();
    expect(log.events).toHaveLength(agent.session.seq);
  });
});
