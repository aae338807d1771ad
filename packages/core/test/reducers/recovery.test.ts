import { describe, expect, it } from 'vitest';
import type { KnownRecovery } from '@pawl/governor';
import { ScriptedWorker } from './scripted-worker.ts';

/** Fails the same call until the governor does something about it. */
function failUntilRecovery(
  worker: ScriptedWorker,
  tool: string,
  args: { readonly path: string },
  message: string,
): ScriptedWorker {
  for (let time = 0; time < 3; time += 1) worker.fails(tool, args, message);
  return worker;
}

describe('recovery', () => {
  it.each([
    ['old_string not found in the file', 'copy the text to replace'],
    ['the file was modified since you read it', 'read it again before'],
    ['command timed out after 120 s', 'smaller step'],
    ['ENOENT: no such file or directory', 'Search for the name'],
    ['EACCES: permission denied', 'not allowed'],
    ['429 too many requests', 'Wait a while'],
  ])('gives a remedy for “%s”', (message, advice) => {
    const worker = new ScriptedWorker();
    worker.fails('act', { path: 'a' }, message).fails('act', { path: 'a' }, message);
    expect(worker.reasons).toEqual(['repeated-failure: advise']);
    expect(worker.action('ask-model')?.advice).toContain(advice);
  });

  it('reads the file again after repeated failed edits, with a tool that has worked', () => {
    const worker = new ScriptedWorker();
    worker.call('read', { path: 'b' }, 'B');
    failUntilRecovery(worker, 'edit', { path: 'src/a.ts' }, 'old_string not found');
    expect(worker.reasons.at(-1)).toBe('repeated-failure: run');
    expect(worker.action('run-tools')?.calls).toMatchObject([{ tool: 'read', args: { path: 'src/a.ts' } }]);
  });

  it('only blocks the call if there is no such tool or no file to read', () => {
    const without = failUntilRecovery(new ScriptedWorker(), 'edit', { path: 'a' }, 'old_string not found');
    expect(without.reasons.at(-1)).toBe('repeated-failure: block');
    const nameless = new ScriptedWorker();
    nameless.call('read', { path: 'b' }, 'B');
    for (let time = 0; time < 3; time += 1) nameless.fails('edit', {}, 'old_string not found');
    expect(nameless.reasons.at(-1)).toBe('repeated-failure: block');
  });

  it('waits for a rate limit, then continues', () => {
    const worker = failUntilRecovery(new ScriptedWorker(), 'fetch', { path: 'x' }, '429 too many requests');
    expect(worker.action('recover')?.verdict.response).toEqual({ kind: 'recover', waitMs: 30_000 });
    worker.last = worker.take({ type: 'recovery-finished', outcome: { kind: 'ask-model' } });
    expect(worker.session.turn.status).toBe('callingModel');
  });

  it('asks the user about a missing permission, if there is a user', () => {
    const settings = { governor: { preset: 'pawl', rules: {}, attended: true } } as const;
    const attended = failUntilRecovery(
      new ScriptedWorker(settings),
      'open',
      { path: 'x' },
      'EACCES: permission denied',
    );
    expect(attended.reasons.at(-1)).toBe('repeated-failure: ask');
    expect(attended.session.turn.status).toBe('waitingForUser');
    expect(attended.action('show-text')?.text).toContain('How shall I go on?');
    const alone = failUntilRecovery(new ScriptedWorker(), 'open', { path: 'x' }, 'EACCES: permission denied');
    expect(alone.reasons.at(-1)).toBe('repeated-failure: block');
  });

  it('accepts custom remedies, which take precedence', () => {
    const own: KnownRecovery = {
      id: 'merge-conflict',
      pattern: 'conflict in',
      advice: 'Look at both sides first.',
      remedy: { do: 'run', tool: 'git_diff', args: { file: '{path}', about: '$& {path}' } },
    };
    const broken: KnownRecovery = { ...own, id: 'broken', pattern: '(' };
    const worker = new ScriptedWorker({ governor: { preset: 'pawl', rules: {}, recoveries: [broken, own] } });
    worker.call('git_diff', {}, 'no changes');
    failUntilRecovery(worker, 'merge', { path: 'a$1.ts' }, 'conflict in a.ts: no such file');
    expect(worker.verdicts.at(-1)?.advice).toContain('Look at both sides');
    expect(worker.action('run-tools')?.calls).toMatchObject([
      { tool: 'git_diff', args: { file: 'a$1.ts', about: '$& a$1.ts' } },
    ]);
  });
});
