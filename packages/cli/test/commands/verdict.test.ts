import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { computeStateHash } from '@pawl/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFeedbackFile } from '../../src/commands/verdict-feedback-file.ts';
import {
  saveRun,
  createTestWorkspace,
  successfulRun,
  stuckRun,
  type TestWorkspace,
} from './test-workspace.ts';

let testWorkspace: TestWorkspace;
beforeEach(() => {
  testWorkspace = createTestWorkspace();
});
afterEach(() => testWorkspace.close());

describe('pawl verdict', () => {
  it('keeps what a person thinks of the last verdict, beside the store and not in the session', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    const before = computeStateHash((await testWorkspace.store.open('key')).session);
    const { code, out } = await testWorkspace.pawl(
      'verdict',
      'key',
      'wrong',
      '--note',
      'it was a new drawer',
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^Marked as wrong: repeated-call at event 13, look was called 4 times/);
    const { marks, unread } = readFeedbackFile(testWorkspace.file);
    expect(marks).toEqual([
      {
        at: expect.any(Number) as number,
        session: 'key',
        seq: 13,
        rule: 'repeated-call',
        mark: 'wrong',
        note: 'it was a new drawer',
      },
    ]);
    expect(unread).toBe(0);
    const after = await testWorkspace.store.open('key');
    expect(computeStateHash(after.session)).toBe(before);
    const others = process.platform === 'win32' ? 0 : 0o077;
    expect(statSync(`${testWorkspace.file}.marks.jsonl`).mode & others).toBe(0);
  });

  it('lists the verdicts of a session with their marks', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    await testWorkspace.pawl('verdict', 'key', 'right', '--event', '10');
    expect(await testWorkspace.json('verdict', 'key')).toMatchObject([
      { session: 'key', seq: 10, rule: 'repeated-call', level: 'suspect', mark: 'right', note: null },
      { session: 'key', seq: 13, rule: 'repeated-call', level: 'stuck', mark: null },
    ]);
    const { out } = await testWorkspace.pawl('verdict', 'last');
    expect(out).toMatch(/^ {4}10 {2}suspect {2}repeated-call +right {2}look was called/);
  });

  it('lets a later mark on the same verdict count, and says with --json what it marked', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    await testWorkspace.pawl('verdict', 'key', 'wrong');
    expect(await testWorkspace.json('verdict', 'key', 'right', '--rule', 'repeated-call')).toMatchObject([
      { session: 'key', seq: 13, rule: 'repeated-call', level: 'stuck', mark: 'right', note: null },
    ]);
    expect(readFeedbackFile(testWorkspace.file).marks).toMatchObject([{ seq: 13, mark: 'right' }]);
  });

  it('passes over lines that are no marks, also where one was cut off', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    await testWorkspace.pawl('verdict', 'key', 'right');
    appendFileSync(`${testWorkspace.file}.marks.jsonl`, '{"at":1,"session":"key","__proto__":{}}\n{"at":17');
    await testWorkspace.pawl('verdict', 'key', 'wrong', '--event', '10');
    const { marks, unread } = readFeedbackFile(testWorkspace.file);
    expect(marks.map(({ seq, mark }) => [seq, mark])).toEqual([
      [13, 'right'],
      [10, 'wrong'],
    ]);
    expect(unread).toBe(2);
    expect(readFileSync(`${testWorkspace.file}.marks.jsonl`, 'utf8')).toContain('{"at":17\n');
  });

  it('says what is wrong, and marks nothing', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    for (const [args, complaint] of [
      [['key', 'wrog'], /marked right or wrong, not "wrog"\. .*wrong/],
      [
        ['key', 'right', '--event', '11'],
        /no such verdict .* repeated-call at event 10, repeated-call at event 13/,
      ],
      [['key', 'right', '--rule', 'monologue'], /no such verdict/],
      [['key', 'right', '--event', 'x'], /--event takes a whole number/],
      [['key', '--note', 'x'], /Say whether it was right or wrong/],
      [['roof', 'right'], /there is no verdict in it/],
      [['nobody', 'right'], /There is no session "nobody"/],
    ] as const) {
      const { code, err } = await testWorkspace.pawl('verdict', ...args);
      expect(code).toBe(2);
      expect(err).toMatch(complaint);
    }
    expect(readFeedbackFile(testWorkspace.file)).toEqual({ marks: [], unread: 0 });
  });
});
