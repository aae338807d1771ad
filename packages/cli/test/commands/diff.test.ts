import { createSession, replay, type Event } from '@pawl/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  saveRun,
  splitLines,
  createLookReply,
  createTestWorkspace,
  successfulRun,
  createPutReply,
  createTextReply,
  stuckRun,
  type TestWorkspace,
} from './test-workspace.ts';

let testWorkspace: TestWorkspace;
beforeEach(() => {
  testWorkspace = createTestWorkspace();
});
afterEach(() => testWorkspace.close());

const readDiffOutcomes = async (
  ...args: readonly string[]
): Promise<Readonly<Record<string, readonly unknown[]>>> => {
  const [diff] = await testWorkspace.json('diff', ...args);
  const rows = diff?.['outcomes'] as readonly { what: string; a: unknown; b: unknown; same: boolean }[];
  return Object.fromEntries(rows.filter(({ same }) => !same).map(({ what, a, b }) => [what, [a, b]]));
};

const createRunWithIds = (prefix: string) => ({
  ...successfulRun,
  id: prefix,
  replies: [
    { text: 'I look.', calls: [{ id: `${prefix}-1`, tool: 'look', args: { at: 'roof' } }] },
    createPutReply('roof.txt', 'tiles'),
    createTextReply('Done.'),
  ],
});

async function saveFailedSession(
  id: string,
  { jitter, message }: { readonly jitter: number; readonly message: string },
): Promise<void> {
  const session = createSession({ id, at: 0 });
  const events: readonly Event[] = [
    { type: 'user-message', at: 1, text: 'Go' },
    { type: 'model-failed', at: 2, jitter, error: { kind: 'overloaded', message } },
  ];
  const position = await testWorkspace.store.create(session, 'a test', {
    metadata: { dir: testWorkspace.dir },
  });
  await testWorkspace.store.append(id, position, events, replay(session, events));
}

describe('pawl diff', () => {
  it('reports two runs as identical that differ only in times, random values and call ids', async () => {
    await saveRun(testWorkspace, createRunWithIds('a'));
    await saveRun(testWorkspace, { ...createRunWithIds('b'), start: 1_800_000_000_000 });
    expect((await testWorkspace.pawl('diff', 'a', 'b')).out).toContain(
      'The sessions are identical except for times: 8 events.',
    );
    expect(await readDiffOutcomes('a', 'b')).toEqual({});
  });

  it('ignores the random value of a retry but no other event field', async () => {
    await saveFailedSession('a', { jitter: 0.1, message: 'busy' });
    await saveFailedSession('b', { jitter: 0.9, message: 'busy' });
    await saveFailedSession('c', { jitter: 0.1, message: 'very busy' });
    expect(await testWorkspace.json('diff', 'a', 'b')).toMatchObject([
      { common: 2, next: { a: null, b: null } },
    ]);
    expect(await testWorkspace.json('diff', 'a', 'c')).toMatchObject([
      { common: 1, next: { a: { jitter: 0.1 } } },
    ]);
    expect((await testWorkspace.pawl('diff', 'a', 'c')).out).toContain(
      'The first event is identical except for times; then the sessions diverge:',
    );
  });

  it('shows where two runs diverge and how their outcomes differ', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'tiles' });
    await saveRun(testWorkspace, {
      ...successfulRun,
      id: 'straw',
      about: { dir: testWorkspace.dir, model: 'other' },
      replies: [
        createLookReply('roof'),
        createPutReply('straw.txt', 'straw'),
        createLookReply('roof'),
        createTextReply('The roof is straw.'),
      ],
    });
    const [diff] = await testWorkspace.json('diff', 'tiles', 'straw');
    expect(diff).toMatchObject({
      type: 'diff',
      a: 'tiles',
      b: 'straw',
      common: 4,
      next: {
        a: { type: 'model-replied', calls: [{ args: { text: 'tiles' } }] },
        b: { type: 'model-replied', calls: [{ args: { text: 'straw' } }] },
      },
    });
    expect(await readDiffOutcomes('tiles', 'straw')).toEqual({
      model: ['scripted', 'other'],
      events: [8, 11],
      steps: [3, 4],
      'tool calls': [2, 3],
      'files changed': ['roof.txt', 'straw.txt'],
      answer: ['The roof is mended.', 'The roof is straw.'],
    });
    const text = splitLines((await testWorkspace.pawl('diff', 'tiles', 'straw')).out);
    expect(text).toContain('The first 4 events are identical except for times; then the sessions diverge:');
    expect(text.find((line) => line.startsWith('event 5'))).toMatch(/model-replied .* {2}model-replied /);
    expect(text.find((line) => line.startsWith('≠ answer'))).toMatch(
      /The roof is mended\. +The roof is straw\.$/,
    );
    expect(text.find((line) => line.startsWith('  profile'))).toMatch(/pawl +pawl$/);
  });

  it('shows which run ends first and which settings differ', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'whole' });
    const [fork] = await testWorkspace.json('fork', 'whole', '--at', '5');
    const part = String(fork?.['id']);
    expect((await testWorkspace.pawl('diff', 'whole', part)).out).toContain(
      'The first 5 events are identical except for times; the second session ends there:',
    );
    expect((await testWorkspace.pawl('diff', part, 'whole')).out).toContain('the first session ends there:');
    expect((await readDiffOutcomes('whole', part))['status']).toEqual(['halted', 'running tools']);
    await saveRun(testWorkspace, { ...stuckRun, id: 'patient', settings: { maxRetries: 9 } });
    expect(await readDiffOutcomes('whole', 'patient')).toEqual({ settings: ['maxRetries', 'differ'] });
    expect((await testWorkspace.pawl('diff', 'whole', 'unknown')).code).toBe(2);
  });
});
