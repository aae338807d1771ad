import { createSession, step, type Event } from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AggregateStats } from '../../src/commands/stats/aggregate.ts';
import {
  saveRun,
  createLookReply,
  createTestWorkspace,
  successfulRun,
  createTextReply,
  stuckRun,
  type TestWorkspace,
} from './test-workspace.ts';

let testWorkspace: TestWorkspace;
beforeEach(() => {
  testWorkspace = createTestWorkspace();
});
afterEach(() => testWorkspace.close());

async function readStats(...args: readonly string[]): Promise<AggregateStats> {
  const [object] = await testWorkspace.json('stats', ...args);
  return object as unknown as AggregateStats;
}

/** Stores a session with these events in one append. */
async function saveEvents(id: string, events: readonly Event[], profile = 'pawl'): Promise<void> {
  const settings = findProfile(profile)?.settings ?? {};
  const created = createSession({ id, at: 0, profile, settings });
  const metadata = { dir: testWorkspace.dir, model: 'by hand' };
  const position = await testWorkspace.store.create(created, 'a test', { metadata });
  let end = created;
  for (const event of events) end = step(end, event).session;
  expect(end.seq).toBe(events.length);
  await testWorkspace.store.append(id, position, events, end);
}

const usage = { inputTokens: 90, outputTokens: 10 };

/** Repeats the same call at a hundred tokens per step until it must answer. */
const loopingEvents: readonly Event[] = [
  { type: 'user-message', at: 1_000, text: 'Find the key' },
  ...Array.from({ length: 4 }, (_, index): readonly Event[] => {
    const at = 2_000 + index * 10_000;
    return [
      {
        type: 'model-replied',
        at,
        text: '',
        calls: [{ id: `c${index}`, tool: 'look', args: { at: 'drawer' } }],
        usage,
      },
      { type: 'tool-started', at: at + 1_000, callId: `c${index}` },
      {
        type: 'tool-finished',
        at: at + 4_000,
        callId: `c${index}`,
        outcome: { ok: true, output: 'nothing' },
      },
    ];
  }).flat(),
  { type: 'model-replied', at: 60_000, text: 'There is no key.', calls: [], usage },
];

describe('pawl stats', () => {
  it('counts sessions by state and ending, and effective steps', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    await saveEvents('circles', loopingEvents);
    await saveEvents('begun', loopingEvents.slice(0, 1));
    const { sessions, efficiency } = await readStats();
    expect(sessions).toEqual({
      counted: 3,
      damaged: 0,
      byState: [
        { name: 'callingModel', count: 1 },
        { name: 'halted', count: 1 },
        { name: 'waitingForUser', count: 1 },
      ],
      byEnding: [
        { name: 'answered', count: 1 },
        { name: 'stuck', count: 1 },
        { name: 'unfinished', count: 1 },
      ],
    });
    // The roof session: all three steps are effective. The loop session: the first call and the answer, but not the
    // three repetitions.
    expect(efficiency).toEqual({ steps: 8, effective: 5, share: 5 / 8 });
  });

  it('reports the cost of a loop from the first repetition on, once for all its verdicts', async () => {
    await saveEvents('circles', loopingEvents);
    const { loops, saved } = await readStats();
    expect(loops).toEqual([
      { rule: 'repeated-call', verdicts: 2, ended: 1, loops: 1, steps: 3, tokens: 300 },
    ]);
    expect(saved).toEqual({ tokens: null, stoppedTurns: 1, refusedCalls: 0, tokensPerLoopStep: 100 });
  });

  it('counts refused calls', async () => {
    const rules = { 'repeated-call': { advise: null, block: 2, stop: null } };
    await saveRun(testWorkspace, {
      goal: 'Look',
      replies: [
        createLookReply('drawer'),
        createLookReply('drawer'),
        createLookReply('drawer'),
        createTextReply('Then not.'),
      ],
      settings: { governor: { preset: 'pawl', rules } },
    });
    expect((await readStats()).saved.refusedCalls).toBe(1);
  });

  it('counts results as new again after a user message', async () => {
    const again = loopingEvents.slice(1, 4).map((event) => ({ ...event, at: event.at + 100_000 }));
    await saveEvents('twice', [
      ...loopingEvents.slice(0, 4),
      { type: 'model-replied', at: 90_000, text: 'Nothing there.', calls: [] },
      { type: 'user-message', at: 91_000, text: 'Look once more' },
      ...again,
    ]);
    const { efficiency, byTool } = await readStats();
    expect(efficiency).toMatchObject({ steps: 3, effective: 3 });
    expect(byTool).toMatchObject([{ tool: 'look', calls: 2, repeated: 0 }]);
  });

  it('counts the verdict on ineffective compaction, which halts the session', async () => {
    const overflow = { failure: { kind: 'context-overflow', message: 'too long' } } as const;
    await saveRun(testWorkspace, {
      id: 'full',
      goal: 'Go on',
      replies: Array.from({ length: 8 }, () => overflow),
      settings: { maxRetries: 10 },
    });
    const { sessions, loops, accuracy } = await readStats();
    expect(sessions.byEnding).toEqual([{ name: 'stuck', count: 1 }]);
    expect(loops).toMatchObject([{ rule: 'fruitless-paging', verdicts: 1, ended: 1 }]);
    await testWorkspace.pawl('verdict', 'full', 'right');
    expect((await readStats()).accuracy).toMatchObject([{ rule: 'fruitless-paging', right: 1, share: 1 }]);
    expect(accuracy).toMatchObject([{ share: null }]);
    expect((await testWorkspace.pawl('show', 'full', '--why', '2')).out).toMatch(
      /Verdicts[^]*fruitless-paging[^]*hardly any was gained/,
    );
  });

  it('reports days, and the most expensive loops with their sessions', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof', start: Date.UTC(2026, 2, 1, 12) });
    await saveRun(testWorkspace, { ...stuckRun, id: 'key', start: Date.UTC(2026, 2, 3, 12) });
    const { byDay, worstLoops } = await readStats();
    expect(byDay).toMatchObject([
      { day: '2026-03-01', sessions: 1, answered: 1, stuck: 0, steps: 3, effective: 3 },
      { day: '2026-03-03', sessions: 1, answered: 0, stuck: 1 },
    ]);
    expect(worstLoops).toEqual([
      { session: 'key', goal: 'Find the key', rule: 'repeated-call', steps: 3, tokens: 0 },
    ]);
  });

  it('counts an exhausted budget as an ending, not as a loop', async () => {
    const budgets = { modelCalls: 3, toolCalls: null, tokens: null, cost: null, wallMs: null };
    await saveRun(testWorkspace, {
      goal: 'Look everywhere',
      replies: [createLookReply('attic'), createLookReply('cellar'), createTextReply('That was all.')],
      settings: { budgets },
    });
    const { sessions, loops, saved, accuracy } = await readStats();
    expect(sessions.byEnding).toEqual([{ name: 'budget', count: 1 }]);
    expect(loops).toEqual([]);
    expect(accuracy).toEqual([]);
    expect(saved.stoppedTurns).toBe(0);
  });

  it('sums the time in each state', async () => {
    await saveEvents('circles', loopingEvents);
    const { timeByState } = await readStats();
    // Requests at 1 s, 6 s, 16 s, 26 s and 36 s; replies at 2 s, 12 s, 22 s, 32 s and 60 s.
    expect(timeByState).toEqual([
      { machine: 'turn', state: 'callingModel', stays: 5, totalMs: 43_000, medianMs: 6_000 },
      { machine: 'turn', state: 'executingTools', stays: 4, totalMs: 16_000, medianMs: 4_000 },
    ]);
  });

  it('reports each profile, model and tool', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    await saveEvents('circles', loopingEvents);
    const { byProfile, byModel, byTool } = await readStats();
    expect(byProfile).toMatchObject([{ name: 'pawl', sessions: 2, answered: 1, stuck: 1, steps: 8 }]);
    expect(byModel).toMatchObject([
      {
        name: 'by hand',
        sessions: 1,
        share: 2 / 5,
        toolCalls: 4,
        inputTokens: 450,
        outputTokens: 50,
        cost: null,
      },
      { name: 'scripted', sessions: 1, share: 1, toolCalls: 2 },
    ]);
    expect(byTool).toEqual([
      { tool: 'look', calls: 5, failed: 0, repeated: 3, totalMs: 13_000, medianMs: 3_000 },
      { tool: 'put', calls: 1, failed: 0, repeated: 0, totalMs: 1_000, medianMs: 1_000 },
    ]);
  });

  it('reports the efficiency of transitions and the accuracy of each rule from feedback [SAV-57]', async () => {
    await saveEvents('circles', loopingEvents);
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    await saveEvents(
      'modes',
      [
        { type: 'user-message', at: 1_000, text: 'Go' },
        {
          type: 'model-replied',
          at: 2_000,
          text: '',
          calls: [{ id: 'c', tool: 'search', args: { query: 'roof' } }],
        },
      ],
      'savant',
    );
    await testWorkspace.pawl('verdict', 'circles', 'right');
    await testWorkspace.pawl('verdict', 'key', 'wrong');
    await testWorkspace.pawl('verdict', 'key', 'right', '--event', '10');
    const { transitions, efficiency, accuracy } = await readStats();
    expect(transitions[0]).toMatchObject({ from: 'INIT', count: 1, endedWell: 0 });
    expect(efficiency.share).toBeGreaterThan(0);
    expect(efficiency.share).toBeLessThan(1);
    expect(accuracy).toEqual([{ rule: 'repeated-call', verdicts: 4, right: 2, wrong: 1, share: 2 / 3 }]);
    const { out } = await testWorkspace.pawl('stats');
    expect(out).toMatch(/Verdict accuracy\n.*accuracy\n {2}repeated-call +4 +2 +1 +67 %\n/);
    expect(out).toMatch(/Mode transitions\n.*answered\n {2}INIT → \w+ +1 /);
  });

  it('covers this folder unless --all is given', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    await saveRun(testWorkspace, { ...stuckRun, id: 'far', about: { dir: '/elsewhere' } });
    await testWorkspace.pawl('verdict', 'far', 'right');
    const here = await readStats();
    expect(here.sessions.counted).toBe(1);
    expect(here.accuracy).toEqual([]);
    const all = await readStats('--all');
    expect(all.sessions.counted).toBe(2);
    expect(all.accuracy).toMatchObject([{ rule: 'repeated-call', right: 1 }]);
    expect((await testWorkspace.pawl('stats')).err).toBe(
      '1 session in other folders; use --all to include them.\n',
    );
    expect((await testWorkspace.pawl('stats', '--all')).err).toBe('');
  });

  it('counts marks on verdicts of removed sessions', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    await testWorkspace.pawl('verdict', 'key', 'wrong');
    await testWorkspace.pawl('rm', 'key', '--yes');
    expect((await readStats('--all')).accuracy).toEqual([
      { rule: 'repeated-call', verdicts: 1, right: 0, wrong: 1, share: 0 },
    ]);
  });

  it('skips an unreadable session, and reports it', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    await saveRun(testWorkspace, { ...successfulRun, id: 'torn' });
    using database = new DatabaseSync(testWorkspace.file);
    database.exec("UPDATE events SET text = replace(text, 'roof', 'hoof') WHERE session = 2");
    expect((await readStats()).sessions).toMatchObject({ counted: 1, damaged: 1 });
    expect((await testWorkspace.pawl('stats')).out).toMatch(/^1 session, 1 more unreadable\n/);
  });

  it('reports that there are no sessions, and escapes names', async () => {
    expect((await testWorkspace.pawl('stats')).out).toBe('There are no sessions.\n');
    await saveRun(testWorkspace, {
      ...successfulRun,
      about: { dir: testWorkspace.dir, model: '\u001b[31mred' },
    });
    expect((await testWorkspace.pawl('stats')).out).not.toContain('\u001b');
  });
});
