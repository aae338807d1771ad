import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSession, step, type Event, type Session } from '@pawl/core';
import { memorySettings } from '@pawl/core/memory';
import { findProfile } from '@pawl/core/profiles';
import { Agent, type RuntimeClock, type Tool } from '@pawl/runtime';
import { createScriptedModel, type ScriptedReply } from '@pawl/runtime/models';
import { createStoreEventLog, createMemoryStore, computeStateHash } from '@pawl/runtime/store';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadSessionRecord } from '../../src/sessions/session-record.ts';
import { replayRecording } from '../../src/commands/export/replay-recording.ts';
import { generateTest } from '../../src/commands/export/test-file.ts';

/** Yields to other microtasks this many times. */
async function takeTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

/** A clock that advances in large steps; waits resolve immediately. */
function createFastClock(): RuntimeClock {
  let now = 0;
  return {
    now: () => (now += 7),
    async sleepUntil(at, signal) {
      await takeTurns(2);
      if (!signal.aborted) now = Math.max(now, at);
    },
  };
}

const names = ['read', 'peek', 'edit', 'break'] as const;

/** Tools of every effect class that take time and sometimes fail. */
function createDelayedTools(delays: readonly number[]): readonly Tool[] {
  let turn = 0;
  const delay = (): Promise<void> => takeTurns(delays[(turn += 1) % delays.length] ?? 0);
  const effects = {
    read: 'read-only',
    peek: 'read-only',
    edit: 'verifiable',
    break: 'not-repeatable',
  } as const;
  return names.map((name) => ({
    description: { name, description: name, parameters: {} },
    effect: effects[name],
    ...(name === 'edit' && { settle: async () => 'run-again' as const }),
    async run(args, { execution }) {
      await delay();
      if (name === 'break')
        return { ok: false, error: { kind: 'failed', message: `broken by ${JSON.stringify(args)}` } };
      if (name === 'edit') await execution?.recordIntent({ args });
      await delay();
      return {
        ok: true,
        output: { args },
        ...(name === 'edit' && { files: [{ path: 'f', hash: JSON.stringify(args) }] }),
      };
    },
  }));
}

const call = fc.record({ tool: fc.constantFrom(...names, 'unknown'), args: fc.record({ n: fc.nat(3) }) });
const reply: fc.Arbitrary<ScriptedReply> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ text: fc.string(), calls: fc.array(call, { maxLength: 4 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      failure: fc.record({ kind: fc.constant('overloaded' as const), message: fc.string() }),
    }),
  },
);

const script = fc.record({
  replies: fc.array(reply, { minLength: 1, maxLength: 12 }),
  delays: fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }),
  profile: fc.constantFrom('pawl', 'loom', 'nexora', 'savant'),
  rulings: fc.array(fc.constantFrom('allow', 'allow', 'ask', 'deny'), { minLength: 1 }),
  hooks: fc.constantFrom(true, false, null),
});

type ReplayScript = typeof script extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs an agent by the script until it waits or has ended, twice, and returns the recording. */
async function recordScript({ replies, delays, profile, rulings, hooks }: ReplayScript) {
  const store = createMemoryStore();
  const settings = {
    ...findProfile(profile)?.settings,
    mutatingTools: ['edit'],
    memory: memorySettings.pawl,
  };
  const session = createSession({ id: 'random', at: 0, profile, settings });
  const position = await store.create(session, 'a test');
  let asked = 0;
  const ruling = (): 'allow' | 'ask' | 'deny' => rulings[(asked += 1) % rulings.length] ?? 'allow';
  const agent = new Agent({
    session,
    model: createScriptedModel(replies),
    tools: createDelayedTools(delays),
    clock: createFastClock(),
    log: createStoreEventLog(store, 'random', position),
    rules: ruling,
    decide: async () =>
      ruling() === 'deny' ? { decision: 'deny' } : { decision: 'allow', reason: 'why not' },
    async hooks() {
      if (hooks === null) throw new Error('the hook is broken');
      return hooks;
    },
  });
  void agent.sendMessage('Do something');
  await agent.waitUntilIdle();
  void agent.sendMessage('And something else');
  await agent.waitUntilIdle();
  return loadSessionRecord(store, 'random');
}

describe('an exported test', () => {
  it('reaches the same session, for any events in any order', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (written) => {
        const record = await recordScript(written);
        const { fixture } = await generateTest(record, 'x.test.ts');
        expect(computeStateHash(await replayRecording(JSON.parse(fixture) as never))).toBe(record.stateHash);
      }),
      { numRuns: 40 },
    );
  });

  it('replays external events: pauses, phases, requests, and the end', async () => {
    const events: readonly Event[] = [
      { type: 'phase-started', at: 1, number: 1, description: 'Begin' },
      { type: 'user-message', at: 2, text: 'Go' },
      { type: 'pause-requested', at: 3, reason: 'tired' },
      { type: 'resume-requested', at: 4 },
      {
        type: 'model-replied',
        at: 5,
        text: 'yes',
        calls: [{ id: 'a', tool: 'read', args: 1, permission: 'allow' }],
      },
      { type: 'tool-started', at: 6, callId: 'a' },
      { type: 'cancel-requested', at: 7 },
      { type: 'paging-requested', at: 8, reason: 'why not' },
      { type: 'paging-failed', at: 9, message: 'no room', jitter: 0.5 },
      { type: 'retry-due', at: 99_999 },
      { type: 'paging-finished', at: 100_000, freedTokens: 3, heldTokens: 9 },
      { type: 'user-message', at: 100_001, text: 'Again', automatic: true },
      { type: 'finish-requested', at: 100_002, reason: 'enough' },
      { type: 'halt-requested', at: 100_003, reason: 'for good' },
      { type: 'shutdown-requested', at: 100_004 },
    ];
    const created = createSession({ id: 'outside', at: 0 });
    let end: Session = created;
    for (const event of events) end = step(end, event).session;
    expect(end.seq).toBe(events.length);
    const tools = [{ name: 'read', effect: 'not-repeatable' }] as const;
    expect(computeStateHash(await replayRecording({ created, events, tools }))).toBe(computeStateHash(end));
    expect(await replayRecording({ created, events: [], tools })).toBe(created);
  });

  it('names the event that does not occur, is not accepted, or differs', async () => {
    const created = createSession({ id: 'wrong', at: 0 });
    const first = { type: 'user-message', at: 1, text: 'Go' } as const;
    const play = (...events: readonly Event[]): Promise<Session> =>
      replayRecording({ created, events, tools: [] });
    await expect(play(first, { type: 'resume-requested', at: 2 })).rejects.toThrow(
      'Event 2 (resume-requested) is not accepted in the replay.',
    );
    await expect(play(first, { type: 'hooks-finished', at: 2, actionTaken: true })).rejects.toThrow(
      'Event 2 (hooks-finished) does not occur in the replay.',
    );
    const refused = { type: 'model-replied', at: 2, text: '', calls: [{ tool: 'x', args: 1 }] } as const;
    await expect(play(first, refused, { type: 'model-replied', at: 3, text: '', calls: [] })).rejects.toThrow(
      'Event 3 (model-replied) is a tool-started in the replay.',
    );
  });
});
