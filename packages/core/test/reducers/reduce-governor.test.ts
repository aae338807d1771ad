import { describe, expect, it } from 'vitest';
import { toItemArray, getConversation, createSession, step, type Event } from '../../src/index.ts';
import type { Rule } from '@pawl/governor';
import { ScriptedWorker } from './scripted-worker.ts';

describe('the governor', () => {
  it('advises once on a repeated call with the same result, at the end of the next prompt', () => {
    const worker = new ScriptedWorker();
    worker.call('read', { path: 'a' }, 'A').call('read', { path: 'a' }, 'A');
    expect(worker.action('ask-model')?.advice).toBeNull();
    worker.call('read', { path: 'a' }, 'A');
    expect(worker.action('ask-model')?.advice).toContain('called read 3 times in a row');
    expect(worker.reasons).toEqual(['repeated-call: advise']);
  });

  it('keeps its advice out of the conversation', () => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 3; time += 1) worker.call('read', { path: 'a' }, 'A');
    expect(JSON.stringify(toItemArray(getConversation(worker.session)))).not.toContain('in a row');
    worker.call('read', { path: 'b' }, 'B');
    expect(worker.action('ask-model')?.advice).toBeNull();
  });

  it('lists the events that prove a verdict', () => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 3; time += 1) worker.call('read', { path: 'a' }, 'A');
    expect(worker.verdicts[0]?.evidence).toEqual([3, 5, 7]);
  });

  it('ends the work with an answer if the advice is ignored [SAV-134]', () => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 4; time += 1) worker.call('read', { path: 'a' }, 'A');
    expect(worker.action('ask-model')).toMatchObject({ tools: false });
    worker.reply('All I found is A.');
    expect(worker.session.turn).toMatchObject({
      status: 'halted',
      haltReason: { kind: 'stuck', rule: 'repeated-call' },
    });
    expect(toItemArray(getConversation(worker.session)).at(-1)).toMatchObject({ text: 'All I found is A.' });
  });

  it('advises at the second identical failure and blocks the call after the third', () => {
    const worker = new ScriptedWorker();
    worker.fails('edit', { path: 'a' }, 'no match').fails('edit', { path: 'a' }, 'no match');
    expect(worker.reasons).toEqual(['repeated-failure: advise']);
    worker.fails('edit', { path: 'a' }, 'no match');
    expect(worker.reasons.at(-1)).toBe('repeated-failure: block');
    worker.fails('edit', { path: 'a' }, 'no match');
    expect(worker.action('run-tools')).toBeUndefined();
    expect(toItemArray(getConversation(worker.session)).at(-1)).toMatchObject({
      outcome: { ok: false, error: { kind: 'denied' } },
    });
  });

  it('ends the work if a blocked call is requested repeatedly', () => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 5; time += 1) worker.fails('edit', { path: 'a' }, 'no match');
    expect(worker.reasons.at(-1)).toBe('repeated-failure: stop');
    expect(worker.action('ask-model')).toMatchObject({ tools: false });
  });

  it('allows a blocked call again after another call made progress', () => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 3; time += 1) worker.fails('edit', { path: 'a' }, 'no match');
    worker.call('read', { path: 'a' }, 'what is there');
    worker.call('edit', { path: 'a' }, 'done');
    expect(worker.reasons).toHaveLength(2);
    expect(worker.session.turn.status).toBe('postToolsHook');
  });

  it('recognizes a call with its arguments in another order', () => {
    const worker = new ScriptedWorker();
    worker.call('read', { path: 'a', from: 1 }, 'A').call('read', { from: 1, path: 'a' }, 'A');
    worker.call('read', { path: 'a', from: 1 }, 'A');
    expect(worker.reasons).toEqual(['repeated-call: advise']);
  });

  it('distinguishes arguments that differ in white space', () => {
    const worker = new ScriptedWorker();
    for (const text of ['if x:\n y', 'if x:\n  y', 'if x:\n   y', 'if x:\n    y'])
      worker.call('edit', { text }, 'saved');
    expect(worker.reasons).toEqual([]);
  });

  it('ignores times, ids and temporary names in tool output', () => {
    const worker = new ScriptedWorker();
    worker.fails('run', {}, 'at 10:02:11 pid 812 in /tmp/x1: cannot open');
    worker.fails('run', {}, 'at 10:02:15 pid 907 in /tmp/x2: cannot open');
    expect(worker.reasons).toEqual(['repeated-failure: advise']);
  });

  it('finds one error class across different arguments and tools', () => {
    const worker = new ScriptedWorker();
    worker.fails('get', { id: 1 }, '401 unauthorized (req_8f2a91b0c)');
    worker.fails('list', { page: 2 }, '401 unauthorized (req_91b0c8f2a)');
    worker.fails('get', { id: 3 }, '401 unauthorized (req_c0b1a98f2)');
    expect(worker.reasons).toEqual(['error-streak: advise']);
  });

  it('finds a cycle of several calls [SAV-59]', () => {
    const worker = new ScriptedWorker();
    for (let round = 0; round < 3; round += 1) {
      for (const path of ['a', 'b', 'c']) worker.call('read', { path }, path);
    }
    expect(worker.reasons).toEqual(['round-and-round: advise', 'round-and-round: stop']);
  });

  it('ignores progress: successive files, a changing test, a changing poll [NEX-02, NEX-115]', () => {
    const worker = new ScriptedWorker();
    for (let file = 0; file < 200; file += 1) {
      worker.call('read', { path: `f${file}` }, `text ${file}`);
      worker.call('shell', { command: 'npm test' }, `${file} passed`);
      worker.call('status', {}, `${file} % done`);
    }
    expect(worker.reasons).toEqual([]);
  });

  it('does not count denials, neither by the user nor by itself', () => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 12; time += 1) {
      worker.call('shell', { command: 'rm' }, { ok: false, error: { kind: 'denied', message: 'no' } });
    }
    expect(worker.reasons).toEqual([]);
  });

  it('resets on a user message', () => {
    const worker = new ScriptedWorker();
    worker.call('read', { path: 'a' }, 'A').call('read', { path: 'a' }, 'A').reply('It says A.');
    worker.hears('Look again.').call('read', { path: 'a' }, 'A').call('read', { path: 'a' }, 'A');
    expect(worker.reasons).toEqual([]);
  });

  it('can disable a rule or raise its threshold', () => {
    const off = new ScriptedWorker({ governor: { preset: 'pawl', rules: { 'repeated-call': false } } });
    for (let time = 0; time < 3; time += 1) off.call('read', { path: 'a' }, 'A');
    expect(off.reasons).not.toContain('repeated-call: advise');
    const later = new ScriptedWorker({
      governor: { preset: 'pawl', rules: { 'repeated-failure': { advise: 3 } } },
    });
    later.fails('edit', {}, 'no match').fails('edit', {}, 'no match');
    expect(later.reasons).toEqual([]);
    const none = new ScriptedWorker({ governor: { preset: 'none', rules: {} } });
    for (let time = 0; time < 20; time += 1) none.fails('edit', {}, 'no match');
    expect(none.reasons).toEqual([]);
  });

  it('applies custom rules', () => {
    const own: Rule = {
      id: 'no-rm',
      rationale: 'It makes us nervous.',
      thresholds: { advise: 1, block: null, stop: null },
      match(window) {
        const last = window.at(-1);
        if (last?.tool !== 'rm') return null;
        return { count: 1, evidence: [last], loop: 'rm', reason: 'rm was called', advice: 'Be careful.' };
      },
    };
    const worker = new ScriptedWorker({}, [own]);
    worker.call('rm', {}, 'gone');
    expect(worker.reasons).toEqual(['no-rm: advise']);
    expect(worker.action('ask-model')?.advice).toBe('Be careful.');
  });
});

const createPermissionReply = (permission: 'ask' | 'deny'): Event => ({
  type: 'model-replied',
  at: 2,
  text: '',
  calls: [{ id: 'a', tool: 'edit', args: { path: 'x' }, permission, denialReason: 'read-only' }],
});

describe('denied calls', () => {
  it.each(['deny', 'ask'] as const)('in a row end the work in a few steps: %s', (permission) => {
    let session = createSession({ id: 's', at: 0 });
    let asked = 0;
    const take = (event: Event): void => {
      const result = step(session, event);
      session = result.session;
      asked += result.actions.filter(({ type }) => type === 'ask-model').length;
    };
    take({ type: 'user-message', at: 1, text: 'go' });
    for (let round = 0; round < 50; round += 1) {
      take(createPermissionReply(permission));
      take({
        type: 'permission-decided',
        at: 3,
        callId: 'a',
        decision: 'deny',
        reason: 'nobody is there to ask',
      });
    }
    expect(session.turn.status).toBe('halted');
    expect(asked).toBeLessThan(10);
  });

  it('from time to time end nothing', () => {
    let session = createSession({ id: 's', at: 0 });
    session = step(session, { type: 'user-message', at: 1, text: 'go' }).session;
    for (let round = 0; round < 60; round += 1) {
      const calls = [{ id: 'b', tool: 'read', args: { path: `file ${round}` } }];
      session = step(
        session,
        round % 3 === 0
          ? createPermissionReply('deny')
          : ({ ...createPermissionReply('deny'), calls } as Event),
      ).session;
      session = step(session, {
        type: 'tool-finished',
        at: 4,
        callId: 'b',
        outcome: { ok: true, output: `what is in file ${round}` },
      }).session;
    }
    expect(session.turn.status).toBe('callingModel');
  });
});
