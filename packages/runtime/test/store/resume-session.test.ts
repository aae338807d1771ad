import {
  createSession,
  getConversation,
  replay,
  step,
  type ConversationMessage,
  type Session,
  toItemArray,
  findTurnAnswer,
} from '@pawl/core';
import type { Rule } from '@pawl/governor';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent } from '../../src/agent/agent.ts';
import { type EventLog, createStoreEventLog } from '../../src/store/store-event-log.ts';
import { createScriptedModel, type ScriptedReply } from '../../src/models/scripted.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { resumeSession } from '../../src/store/resume-session.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { createTempFolder } from '../search/temp-folder.ts';
import { listStoredEvents, createSampleSession } from './sample-session.ts';

const createNoteCall = (id: string): { id: string; tool: string; args: { text: string } } => ({
  id,
  tool: 'note',
  args: { text: id },
});
const script: readonly ScriptedReply[] = [
  { text: 'Two at once.', calls: [createNoteCall('one'), createNoteCall('two')] },
  { failure: { kind: 'overloaded', message: 'busy', retryAfterMs: 1 } },
  { text: 'And one more.', calls: [createNoteCall('three')] },
  { text: 'All noted.' },
];

/** An agent that does the rest of the script, and writes down which calls it really made. */
function createNotingAgent(from: Session, log: EventLog, made: string[]): Agent {
  const tool = defineTool({
    name: 'note',
    description: 'Notes it.',
    parameters: z.object({ text: z.string() }),
    run: ({ text }) => {
      made.push(text);
      return Promise.resolve({ ok: true, output: `noted ${text}` });
    },
  });
  const answered = toItemArray(getConversation(from)).filter(({ role }) => role === 'assistant').length;
  // The failure is not in the conversation.
  const rest = answered === 0 ? script : script.slice(answered + 1);
  return new Agent({ session: from, log, model: createScriptedModel(rest), tools: [tool] });
}

/**
 * A log that is lost after so many commits, as if the process had ended there. With commits of one event each it can end
 * after any of them, as the logs can that were written before events were kept together.
 */
function createLosableLog(count: number, togetherMax: number, log: EventLog): EventLog {
  let left = count;
  return {
    togetherMax,
    append(events, after) {
      if (left === 0) throw new Error('gone');
      left -= 1;
      return log.append(events, after);
    },
  };
}

const stripTimes = (messages: readonly ConversationMessage[]): unknown[] =>
  messages.map((message) => ({ ...message, at: 0 }));

async function runWholeScript(store: Store): Promise<{ session: Session; made: readonly string[] }> {
  const made: string[] = [];
  const log = createStoreEventLog(store, 'a', await store.create(createSampleSession(), 'me'));
  const agent = createNotingAgent(createSampleSession(), log, made);
  void agent.sendMessage('Note three things.');
  return { session: await agent.waitUntilIdle(), made };
}

describe('an agent with its log in a store', () => {
  it('stores all its events', async () => {
    const store = createMemoryStore();
    const { session: end, made } = await runWholeScript(store);
    expect(made).toEqual(['one', 'two', 'three']);
    expect((await store.open('a')).session).toStrictEqual(end);
    expect(await store.list()).toMatchObject([
      { goal: 'Note three things.', status: 'waitingForUser', steps: 3 },
    ]);
  });

  it.each([
    ['after any event', 1, 12],
    ['between events of one commit', 100, 10],
  ])('reaches the same end wherever it was stopped (%s), and runs no call twice', async (_, most, length) => {
    const count = { commits: 0 };
    const counted = { togetherMax: most, append: () => void (count.commits += 1) };
    const counting = createNotingAgent(createSampleSession(), counted, []);
    void counting.sendMessage('Note three things.');
    await counting.waitUntilIdle();
    expect(count.commits).toBe(length);
    const uninterrupted = await runWholeScript(createMemoryStore());
    const expected = stripTimes(toItemArray(getConversation(uninterrupted.session)));
    let sameCount = 0;
    for (let stop = 1; stop < length; stop += 1) {
      using folder = createTempFolder();
      const made: string[] = [];
      const first = openSqliteStore(folder.at('sessions.db'));
      const log = createStoreEventLog(first, 'a', await first.create(createSampleSession(), 'first'));
      const stopped = createNotingAgent(createSampleSession(), createLosableLog(stop, most, log), made);
      void stopped.sendMessage('Note three things.');
      await expect(stopped.ended).rejects.toThrow('gone');
      await first.close();

      const second = openSqliteStore(folder.at('sessions.db'));
      const resumed = await resumeSession(second, 'a', { owner: 'second' });
      const agent = createNotingAgent(resumed.session, resumed.log, made);
      await agent.resume();
      const end = await agent.waitUntilIdle();
      expect(findTurnAnswer(getConversation(end))).toBe('All noted.');
      expect((await second.open('a')).session).toStrictEqual(end);
      expect(made).toHaveLength(new Set(made).size);
      const messages = toItemArray(getConversation(end));
      const isInterrupted = JSON.stringify(messages).includes('"interrupted"');
      if (!isInterrupted) {
        expect(stripTimes(messages)).toEqual(expected);
        expect(made).toEqual(uninterrupted.made);
        sameCount += 1;
      }
      await second.close();
    }
    expect(sameCount).toBeGreaterThan(5);
    expect(sameCount).toBeLessThan(length - 1);
  });

  it('stops as soon as another owner has claimed its session', async () => {
    const store = createMemoryStore();
    const log = createStoreEventLog(store, 'a', await store.create(createSampleSession(), 'old'));
    const made: string[] = [];
    const old = createNotingAgent(createSampleSession(), log, made);
    await resumeSession(store, 'a', { owner: 'new' });
    void old.sendMessage('Note three things.');
    await expect(old.ended).rejects.toThrow(/Another owner holds the session.*"new"/);
    expect(made).toEqual([]);
    expect(await listStoredEvents(store, 'a')).toEqual([]);
  });
});

describe('resuming a session', () => {
  it('reports running calls as interrupted, also in a paused session, and starts the pending ones', async () => {
    const store = createMemoryStore();
    let session = createSampleSession();
    for (const event of [
      { type: 'user-message', at: 1, text: 'go' },
      {
        type: 'model-replied',
        at: 2,
        text: '',
        calls: [createNoteCall('one'), createNoteCall('two'), createNoteCall('three')],
      },
      { type: 'tool-started', at: 3, callId: 'one' },
      { type: 'tool-finished', at: 4, callId: 'one', outcome: { ok: true, output: 1 } },
      { type: 'tool-started', at: 5, callId: 'two' },
      { type: 'pause-requested', at: 6, reason: 'lunch' },
    ] as const) {
      session = step(session, event).session;
    }
    await store.create(session, 'me');
    const resumed = await resumeSession(store, 'a', { owner: 'me' });
    const agent = createNotingAgent(resumed.session, resumed.log, []);
    await agent.resume();
    expect(agent.session.turn).toMatchObject({
      status: 'paused',
      held: {
        executions: [
          { status: 'completed', outcome: { ok: true } },
          { status: 'completed', outcome: { ok: false, error: { kind: 'interrupted' } } },
          { status: 'pending' },
        ],
      },
    });
    expect((await store.open('a')).session).toStrictEqual(agent.session);
    const again = await resumeSession(store, 'a', { owner: 'me' });
    expect(again.session).toStrictEqual(agent.session);
  });
});

/** Advises after each call of the tool `look`, which no built-in rule does. */
const lookRule: Rule = {
  id: 'look-less',
  rationale: 'Looking costs money.',
  thresholds: { advise: 1, block: null, stop: null },
  match(window) {
    const evidence = window.filter(({ tool }) => tool === 'look');
    if (evidence.length === 0) return null;
    const advice = `Stop looking after ${evidence.length} times.`;
    return {
      count: evidence.length,
      evidence,
      loop: `looked ${evidence.length}`,
      reason: 'it looked',
      advice,
    };
  },
};

describe('an agent with its own rules', () => {
  it.each(['replayed', 'from a snapshot without the rules'])(
    'resumes with the same rules, %s',
    async (how) => {
      const store = createMemoryStore();
      const created = createSession({ id: 's', at: 0 });
      const log = createStoreEventLog(store, 's', await store.create(created, 'one'));
      const lookTool = defineTool({
        name: 'look',
        description: 'Looks.',
        parameters: z.object({}),
        run: () => Promise.resolve({ ok: true, output: 'a wall' }),
      });
      const calls = [{ tool: 'look', args: {} }];
      const ownRules = [lookRule];
      const first = new Agent({
        session: created,
        log,
        ownRules,
        model: createScriptedModel([{ calls }, { text: 'One look.' }]),
        tools: [lookTool],
      });
      await first.sendMessage('go');
      const before = await first.waitUntilIdle();
      expect(JSON.stringify(before.governor)).toContain('look-less');
      await first.detach();
      if (how !== 'replayed') await store.snapshot('s');

      expect((await resumeSession(store, 's', { owner: 'two' })).session).not.toEqual(before);
      const resumed = await resumeSession(store, 's', { owner: 'two', ownRules });
      expect(resumed.session).toEqual(before);
      const notes: unknown[] = [];
      const next = new Agent({
        ...resumed,
        model: createScriptedModel([{ calls }, { text: 'Another look.' }]),
        tools: [lookTool],
        observe: (result) => notes.push(...result.notes),
      });
      await next.resume();
      await next.sendMessage('again');
      const after = await next.waitUntilIdle();
      expect(JSON.stringify(notes)).toContain('look-less');
      const events = await listStoredEvents(store, 's');
      expect(replay(created, events, ownRules)).toEqual(after);
    },
  );
});
