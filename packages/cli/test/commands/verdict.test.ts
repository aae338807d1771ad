import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { computeStateHash } from '@pawl/runtime/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFeedbackFile } from '../../src/sessions/verdict-feedback-file.ts';
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
  it('saves feedback on the last verdict beside the store, not in the session', async () => {
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
      { session: 'key', seq: 10, rule: 'repeated-call', severity: 'advise', mark: 'right', note: null },
      { session: 'key', seq: 13, rule: 'repeated-call', severity: 'stop', mark: null },
    ]);
    const { out } = await testWorkspace.pawl('verdict', 'last');
    expect(out).toMatch(/^ {4}10 {2}advise {3}repeated-call +right {2}look was called/);
  });

  it('lets a later mark override an earlier one, and prints it with --json', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    await testWorkspace.pawl('verdict', 'key', 'wrong');
    expect(await testWorkspace.json('verdict', 'key', 'right', '--rule', 'repeated-call')).toMatchObject([
      { session: 'key', seq: 13, rule: 'repeated-call', severity: 'stop', mark: 'right', note: null },
    ]);
    expect(readFeedbackFile(testWorkspace.file).marks).toMatchObject([{ seq: 13, mark: 'right' }]);
  });

  it('skips invalid lines, including a truncated one', async () => {
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

  it('reports invalid arguments, and marks nothing', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    for (const [args, complaint] of [
      [['key', 'wrog'], /marked right or wrong, got "wrog"\. .*wrong/],
      [
        ['key', 'right', '--event', '11'],
        /No matching verdict .* repeated-call at event 10, repeated-call at event 13/,
      ],
      [['key', 'right', '--rule', 'waiting'], /No matching verdict/],
      [['key', 'right', '--event', 'x'], /--event must be a whole number/],
      [['key', '--note', 'x'], /Add right or wrong/],
      [['roof', 'right'], /has no verdicts/],
      [['nobody', 'right'], /There is no session "nobody"/],
    ] as const) {
      const { code, err } = await testWorkspace.pawl('verdict', ...args);
      expect(code).toBe(2);
      expect(err).toMatch(complaint);
    }
    expect(readFeedbackFile(testWorkspace.file)).toEqual({ marks: [], unread: 0 });
  });
});
