import type { Event, Json } from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import { describe, expect, it } from 'vitest';
import type { LiveToolCard, LiveTranscriptItem } from '../../src/tui/live-transcript.ts';
import {
  applyEvents,
  createCallReplyEvent,
  helloEvent,
  openTestScreen,
  pressKeys,
  renderScreenText,
} from './fixtures/test-screen.ts';

const listCards = (model: {
  readonly transcript: { readonly items: readonly LiveTranscriptItem[] };
}): readonly LiveToolCard[] => model.transcript.items.filter((item) => item.kind === 'card');

const listCardStatuses = (model: Parameters<typeof listCards>[0]): readonly string[] =>
  listCards(model).map(({ callId, status }) => `${callId} ${status}`);

const createToolSuccess = (callId: string, at: number, output: Json = 'fine'): Event => ({
  type: 'tool-finished',
  at,
  callId,
  outcome: { ok: true, output },
});

describe('tool cards', () => {
  it('show the status of the call: waiting, running, done, failed', () => {
    const asked = applyEvents(
      openTestScreen(),
      helloEvent,
      createCallReplyEvent(2_000, '', ['a', 'read', { path: 'x' }], ['b', 'read', { path: 'y' }]),
    );
    expect(listCardStatuses(asked)).toEqual(['a waiting', 'b waiting']);
    const running = applyEvents(asked, { type: 'tool-started', at: 2_100, callId: 'a' });
    expect(listCardStatuses(running)).toEqual(['a running', 'b waiting']);
    const done = applyEvents(running, createToolSuccess('a', 2_600));
    expect(listCards(done)[0]).toMatchObject({
      status: 'done',
      durationMs: 500,
      done: 'Read x',
      output: 'fine',
    });
    const failed = applyEvents(done, {
      type: 'tool-finished',
      at: 2_700,
      callId: 'b',
      outcome: { ok: false, error: { kind: 'timeout', message: 'too slow' } },
    });
    expect(listCards(failed)[1]).toMatchObject({ status: 'failed', output: 'timeout: too slow' });
  });

  it('show the last lines of a failure, and all of it on demand', () => {
    const lines = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`).join('\n');
    const message = `The command ended with exit code 1.\n${lines}`;
    const failed = applyEvents(
      openTestScreen(),
      helloEvent,
      createCallReplyEvent(2_000, '', ['a', 'shell', { command: 'npm test' }]),
      {
        type: 'tool-finished',
        at: 2_700,
        callId: 'a',
        outcome: { ok: false, error: { kind: 'failed', message } },
      },
    );
    expect(renderScreenText(failed)).toContain(
      [
        '     failed: The command ended with exit code 1.',
        '     … 6 more lines: ctrl-o',
        '     line 7',
        '     line 8',
        '     line 9',
      ].join('\n'),
    );
    const open = pressKeys(failed, { name: 'ctrl', letter: 'o' }).model;
    expect(renderScreenText(open)).toContain('     │ line 1\n');
  });

  it('show the fields of a result by name, and its text as it is', () => {
    const done = applyEvents(
      openTestScreen(),
      helloEvent,
      createCallReplyEvent(2_000, '', ['a', 'read', { path: 'a.md' }]),
      createToolSuccess('a', 2_100, {
        path: 'a.md',
        total: null,
        text: 'one "quoted"\ntwo',
        hits: [{ rank: 1 }],
      }),
    );
    expect(listCards(done)[0]?.output).toBe('path: a.md\ntext:\none "quoted"\ntwo\nhits:\nrank: 1');
  });

  it('show why a call was denied, by a rule or by a user', () => {
    const ruled = applyEvents(
      openTestScreen(),
      helloEvent,
      createCallReplyEvent(2_000, '', ['a', 'shell', { command: 'rm' }, 'deny']),
    );
    expect(listCardStatuses(ruled)).toEqual(['a denied']);
    const asked = applyEvents(
      openTestScreen(),
      helloEvent,
      createCallReplyEvent(2_000, '', ['a', 'shell', { command: 'rm' }, 'ask']),
    );
    expect(listCardStatuses(asked)).toEqual(['a waiting']);
    const decided = applyEvents(asked, {
      type: 'permission-decided',
      at: 3_000,
      callId: 'a',
      decision: 'deny',
      reason: 'not today',
    });
    expect(renderScreenText(decided)).toContain('     not today');
  });

  it('show that a call was cancelled', () => {
    const running = applyEvents(
      openTestScreen(),
      helloEvent,
      createCallReplyEvent(2_000, '', ['a', 'read', { path: 'x' }]),
    );
    expect(listCardStatuses(applyEvents(running, { type: 'cancel-requested', at: 3_000 }))).toEqual([
      'a cancelled',
    ]);
  });

  it('are distinct if another reply reuses a call id', () => {
    const twice = applyEvents(
      openTestScreen(),
      helloEvent,
      createCallReplyEvent(2_000, '', ['a', 'read', { path: 'x' }]),
      createToolSuccess('a', 2_100, 'first'),
      createCallReplyEvent(2_200, '', ['a', 'read', { path: 'y' }]),
      createToolSuccess('a', 2_300, 'second'),
    );
    expect(listCards(twice).map(({ output }) => output)).toEqual(['first', 'second']);
  });

  it('exist for every call of a round larger than a leaf of the conversation', () => {
    const many = Array.from(
      { length: 40 },
      (_, index) => [`c${index}`, 'read', { path: String(index) }] as const,
    );
    expect(
      listCards(applyEvents(openTestScreen(), helloEvent, createCallReplyEvent(2_000, '', ...many))),
    ).toHaveLength(40);
  });

  it('have a placeholder for values nested too deeply to stringify', () => {
    let deep: Json = 1;
    for (let depth = 0; depth < 50_000; depth += 1) deep = [deep];
    const reply: Event = {
      type: 'model-replied',
      at: 2_000,
      text: '',
      calls: [{ id: 'a', tool: 'x', args: deep }],
    };
    const model = openTestScreen({ settings: { governor: { preset: 'none', rules: {} } } });
    expect(renderScreenText(applyEvents(model, helloEvent, reply))).toContain(
      '(nested too deeply to be shown)',
    );
  });
});

describe('model text', () => {
  it('keeps the partial text of an aborted reply', () => {
    const model = applyEvents(
      openTestScreen(),
      helloEvent,
      { type: 'text-delta', at: 1_100, text: 'I was about to' },
      { type: 'model-failed', at: 1_200, error: { kind: 'network', message: 'The line is dead.' } },
    );
    expect(renderScreenText(model)).toContain('   I was about to\n');
    expect(renderScreenText(model)).toContain(' ! The model failed (network): The line is dead. Retrying.');
  });

  it('stays one item when the user pauses in the middle of it', () => {
    const model = applyEvents(
      openTestScreen(),
      helloEvent,
      { type: 'text-delta', at: 1_100, text: 'The first half' },
      { type: 'pause-requested', at: 1_150, reason: 'asked' },
      { type: 'text-delta', at: 1_200, text: ' and the second' },
      createCallReplyEvent(1_300, 'The first half and the second.'),
    );
    expect(model.transcript.items.filter(({ kind }) => kind === 'model')).toMatchObject([
      { text: 'The first half and the second.', isComplete: true },
    ]);
  });

  it('leaves no item for an empty reply', () => {
    const quiet = applyEvents(
      openTestScreen(),
      helloEvent,
      { type: 'text-delta', at: 1_100, text: ' ' },
      createCallReplyEvent(1_200, ' '),
    );
    expect(quiet.transcript.items.filter(({ kind }) => kind === 'model')).toEqual([]);
  });

  it('comes from the logs if the reply is all protocol', () => {
    const settings = findProfile('lkj')?.settings ?? {};
    const reply: Event = {
      type: 'model-replied',
      at: 2_000,
      text: '<agent>…</agent>',
      calls: [],
      logs: { think: 'I should look.', evaluation: 'Not done.' },
      nextState: 'thinking',
    };
    const text = renderScreenText(applyEvents(openTestScreen({ settings, mode: 'run' }), helloEvent, reply));
    expect(text).toContain('   I should look.\n   Not done.');
    expect(text).not.toContain('<agent>');
  });

  it('is followed by a warning if the reply could not be parsed', () => {
    const reply: Event = { type: 'model-replied', at: 2_000, text: '{', calls: [], problem: 'no JSON' };
    expect(renderScreenText(applyEvents(openTestScreen(), helloEvent, reply))).toContain(
      ' ! The reply could not be parsed: no JSON',
    );
  });
});

describe('remarks', () => {
  it('report phases, the end and errors', () => {
    const model = applyEvents(
      openTestScreen(),
      helloEvent,
      { type: 'phase-started', at: 1_100, number: 1, description: 'Look around' },
      { type: 'phase-completed', at: 1_200, success: false },
      { type: 'model-failed', at: 1_300, error: { kind: 'auth', message: 'No such key.', retryable: false } },
    );
    const text = renderScreenText(model);
    expect(text).toContain('   Phase 1: Look around\n');
    expect(text).toContain(' ✗ Phase 1 failed\n');
    expect(text).toMatch(/ ✗ .*No such key\./);
    const halted = applyEvents(model, { type: 'halt-requested', at: 2_000, reason: 'enough' });
    expect(renderScreenText(halted)).toContain(' ✗ Ended: enough\n');
  });
});

describe('the answer of a finishing tool', () => {
  it('is shown in full, once', () => {
    const answer = `First line.\n${'word '.repeat(40)}`;
    const finished = applyEvents(
      openTestScreen(),
      helloEvent,
      createCallReplyEvent(2_000, '', ['a', 'finish', { answer }]),
      {
        type: 'tool-finished',
        at: 2_100,
        callId: 'a',
        outcome: { ok: true, output: { answer }, final: true },
      },
    );
    const modelItems = finished.transcript.items.filter(({ kind }) => kind === 'model');
    expect(modelItems).toMatchObject([{ text: answer }]);
  });
});
