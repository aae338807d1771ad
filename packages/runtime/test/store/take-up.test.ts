import { conversationOf, step, toArray, type Message, type Session } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent } from '../../src/agent.ts';
import { answerOf } from '../../src/answer.ts';
import type { EventLog } from '../../src/event-log.ts';
import { createScripted, type ScriptedReply } from '../../src/models/scripted.ts';
import { eventLogOn } from '../../src/store/event-log-on.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { takeUp } from '../../src/store/take-up.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { tempFolder } from '../search/temp-folder.ts';
import { eventsOf, session } from './tale.ts';

const note = (id: string): { id: string; tool: string; args: { text: string } } => ({
  id,
  tool: 'note',
  args: { text: id },
});
const script: readonly ScriptedReply[] = [
  { text: 'Two at once.', calls: [note('one'), note('two')] },
  { failure: { kind: 'overloaded', message: 'busy', retryAfterMs: 1 } },
  { text: 'And one more.', calls: [note('three')] },
  { text: 'All noted.' },
];

/** An agent that does the rest of the script, and writes down which calls it really made. */
function agentFor(from: Session, log: EventLog, made: string[]): Agent {
  const tool = defineTool({
    name: 'note',
    description: 'Notes it.',
    parameters: z.object({ text: z.string() }),
    run: ({ text }) => {
      made.push(text);
      return Promise.resolve({ ok: true, output: `noted ${text}` });
    },
  });
  const answered = toArray(conversationOf(from)).filter(({ role }) => role === 'assistant').length;
  // The failure is not in the conversation.
  const rest = answered === 0 ? script : script.slice(answered + 1);
  return new Agent({ session: from, log, model: createScripted(rest), tools: [tool] });
}

/**
 * A log that is lost after so many commits, as if the process had ended there. With commits of one event each it can end
 * after any of them, as the logs can that were written before events were kept together.
 */
function lostAfter(count: number, togetherMax: number, log: EventLog): EventLog {
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

const untimed = (messages: readonly Message[]): unknown[] =>
  messages.map((message) => ({ ...message, at: 0 }));

async function runThrough(store: Store): Promise<{ session: Session; made: readonly string[] }> {
  const made: string[] = [];
  const log = eventLogOn(store, 'a', await store.create(session(), 'me'));
  const agent = agentFor(session(), log, made);
  void agent.say('Note three things.');
  return { session: await agent.idle(), made };
}

describe('an agent with its log in a store', () => {
  it('leaves there all that it did', async () => {
    const store = createMemoryStore();
    const { session: end, made } = await runThrough(store);
    expect(made).toEqual(['one', 'two', 'three']);
    expect((await store.open('a')).session).toStrictEqual(end);
    expect(await store.list()).toMatchObject([
      { goal: 'Note three things.', status: 'waitingForUser', steps: 3 },
    ]);
  });

  it.each([
    ['after any event', 1, 12],
    ['between what is kept together', 100, 10],
  ])(
    'comes to the same end wherever it was stopped (%s), and makes no call twice',
    async (_, most, length) => {
      const count = { commits: 0 };
      const counted = { togetherMax: most, append: () => void (count.commits += 1) };
      const counting = agentFor(session(), counted, []);
      void counting.say('Note three things.');
      await counting.idle();
      expect(count.commits).toBe(length);
      const uninterrupted = await runThrough(createMemoryStore());
      const expected = untimed(toArray(conversationOf(uninterrupted.session)));
      let sameCount = 0;
      for (let stop = 1; stop < length; stop += 1) {
        using folder = tempFolder();
        const made: string[] = [];
        const first = openSqliteStore(folder.at('sessions.db'));
        const log = eventLogOn(first, 'a', await first.create(session(), 'first'));
        const stopped = agentFor(session(), lostAfter(stop, most, log), made);
        void stopped.say('Note three things.');
        await expect(stopped.ended).rejects.toThrow('gone');
        await first.close();

        const second = openSqliteStore(folder.at('sessions.db'));
        const taken = await takeUp(second, 'a', { owner: 'second' });
        const agent = agentFor(taken.session, taken.log, made);
        await agent.resume();
        const end = await agent.idle();
        expect(answerOf(conversationOf(end))).toBe('All noted.');
        expect((await second.open('a')).session).toStrictEqual(end);
        expect(made).toHaveLength(new Set(made).size);
        const messages = toArray(conversationOf(end));
        const isInterrupted = JSON.stringify(messages).includes('"interrupted"');
        if (!isInterrupted) {
          expect(untimed(messages)).toEqual(expected);
          expect(made).toEqual(uninterrupted.made);
          sameCount += 1;
        }
        await second.close();
      }
      expect(sameCount).toBeGreaterThan(5);
      expect(sameCount).toBeLessThan(length - 1);
    },
  );

  it('stops as soon as someone else has taken its session up', async () => {
    const store = createMemoryStore();
    const log = eventLogOn(store, 'a', await store.create(session(), 'old'));
    const made: string[] = [];
    const old = agentFor(session(), log, made);
    await takeUp(store, 'a', { owner: 'new' });
    void old.say('Note three things.');
    await expect(old.ended).rejects.toThrow(/Someone else holds the session.*"new"/);
    expect(made).toEqual([]);
    expect(await eventsOf(store, 'a')).toEqual([]);
  });
});

describe('taking up a session', () => {
  it('tells the model of calls that were running, also in a pause, and leaves those that were not', async () => {
    const store = createMemoryStore();
    let begun = session();
    for (const event of [
      { type: 'user-message', at: 1, text: 'go' },
      { type: 'model-replied', at: 2, text: '', calls: [note('one'), note('two'), note('three')] },
      { type: 'tool-started', at: 3, callId: 'one' },
      { type: 'tool-finished', at: 4, callId: 'one', outcome: { ok: true, output: 1 } },
      { type: 'tool-started', at: 5, callId: 'two' },
      { type: 'pause-requested', at: 6, reason: 'lunch' },
    ] as const) {
      begun = step(begun, event).session;
    }
    await store.create(begun, 'me');
    const taken = await takeUp(store, 'a', { owner: 'me' });
    const agent = agentFor(taken.session, taken.log, []);
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
    const again = await takeUp(store, 'a', { owner: 'me' });
    expect(again.session).toStrictEqual(agent.session);
  });
});
