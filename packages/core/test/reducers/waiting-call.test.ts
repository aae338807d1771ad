import { describe, expect, it } from 'vitest';
import { auditRun } from '@pawl/governor/audit';
import { ScriptedWorker } from './scripted-worker.ts';

describe('waiting', () => {
  it('is not a loop for the first minute, however often it is polled; then it gets advice', () => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 20; time += 1) worker.call('status', { job: 7 }, 'The build is still running.');
    expect(worker.reasons).toEqual([]);
    worker.waits(60_000).call('status', { job: 7 }, 'The build is still running.');
    expect(worker.reasons).toEqual(['waiting: advise']);
    expect(worker.action('ask-model')?.advice).toContain('one call that blocks');
  });

  it('ends after half an hour with the same answer', () => {
    const worker = new ScriptedWorker();
    for (let minute = 0; minute <= 31; minute += 1) {
      worker.waits(60_000).call('status', { job: 7 }, '{"status":"running"}');
      if (worker.reasons.length === 2) break;
    }
    expect(worker.reasons).toEqual(['waiting: advise', 'waiting: stop']);
  });

  it('continues while the awaited status changes', () => {
    const worker = new ScriptedWorker();
    for (let minute = 0; minute < 100; minute += 1) {
      worker.waits(60_000).call('status', { job: 7 }, `still running, ${minute} of 100 done`);
    }
    expect(worker.reasons).toEqual([]);
  });

  it('is interrupted by any other progress', () => {
    const worker = new ScriptedWorker();
    for (let minute = 0; minute < 60; minute += 1) {
      worker.waits(50_000).call('status', { job: 7 }, 'pending');
      worker.call('read', { path: `f${minute}` }, `text ${minute}`);
    }
    expect(worker.reasons).toEqual([]);
  });

  it('neither counts as a repeated call nor hides one', () => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 3; time += 1) {
      worker.call('read', { path: 'a' }, 'A').call('status', {}, 'not ready');
    }
    expect(worker.reasons).toEqual(['repeated-call: advise']);
  });

  it.each([
    ['sleep', {}, ''],
    ['shell', { command: 'sleep 30' }, ''],
    ['job_status', {}, 'state: queued'],
    ['check', {}, 'Deployment not yet ready'],
    ['ci', {}, 'status = "in_progress"'],
  ])('is recognized for %s with %j and %j', (tool, args, said) => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 10; time += 1) worker.call(tool, args, said);
    expect(worker.reasons).toEqual([]);
  });

  it('is not recognized in a long text with such a word, nor in a failure', () => {
    const long = new ScriptedWorker();
    for (let time = 0; time < 3; time += 1) long.call('read', {}, `${'word '.repeat(200)} pending`);
    expect(long.reasons).toEqual(['repeated-call: advise']);
    const failing = new ScriptedWorker();
    for (let time = 0; time < 2; time += 1) failing.fails('status', {}, 'pending');
    expect(failing.reasons).toEqual(['repeated-failure: advise']);
  });

  it('counts each poll as a minute without a clock', () => {
    const steps = Array.from({ length: 70 }, (_, i) => ({
      i,
      role: 'assistant' as const,
      tool: 'status',
      args: {},
      result: 'still running',
    }));
    const found = auditRun({ id: 'poll', steps }).map(({ step, severity }) => `${step} ${severity}`);
    expect(found).toEqual(['1 advise', '30 stop']);
  });
});
