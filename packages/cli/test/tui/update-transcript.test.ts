import { findProfile, type Event, type Json } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import type { LiveToolCard, LiveTranscriptItem } from '../../src/tui/live-transcript.ts';
import {
  applyEvents,
  createCallReplyEvent,
  helloEvent,
  openTestScreen,
  renderScreenText,
} from './fixtures/test-screen.ts';

const listCards = (model: {
  readonly story: { readonly items: readonly LiveTranscriptItem[] };
}): readonly LiveToolCard[] => model.story.items.filter((item) => item.kind === 'card');

const listCardStatuses = (model: Parameters<typeof listCards>[0]): readonly string[] =>
  listCards(model).map(({ callId, status }) => `${callId} ${status}`);

const createToolSuccess = (callId: string, at: number, output: Json = 'fine'): Event => ({
  type: 'tool-finished',
  at,
  callId,
  outcome: { ok: true, output },
});

describe('the cards of calls', () => {
  it('stand as the calls stand: waiting, running, done, failed', () => {
    const asked = applyEvents(
      openTestScreen(),
      helloEvent,
      createCallReplyEvent(2_000, '', ['a', 'read', { path: 'x' }], ['b', 'read', { path: 'y' }]),
    );
    expect(listCardStatuses(asked)).toEqual(['a waiting', 'b waiting']);
    const running = applyEvents(asked, { type: 'tool-started', at: 2_100, callId: 'a' });
    expect(listCardStatuses(running)).toEqual(['a running', 'b waiting']);
    const done = applyEvents(running, createToolSuccess('a', 2_600));
    expect(listCards(done)[0]).toMatchObject({ status: 'done', tookMs: 500, args: 'x', said: 'fine' });
    const failed = applyEvents(done, {
      type: 'tool-finished',
      at: 2_700,
      callId: 'b',
      outcome: { ok: false, error: { kind: 'timeout', message: 'too slow' } },
    });
    expect(listCards(failed)[1]).toMatchObject({ status: 'failed', said: 'timeout: too slow' });
  });

  it('of calls that were denied say why, by a rule or by a person', () => {
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

  it('of calls that were called off say so', () => {
    const running = applyEvents(
      openTestScreen(),
      helloEvent,
      createCallReplyEvent(2_000, '', ['a', 'read', { path: 'x' }]),
    );
    expect(listCardStatuses(applyEvents(running, { type: 'cancel-requested', at: 3_000 }))).toEqual([
      'a cancelled',
    ]);
  });

  it('are told apart when another reply uses an id again', () => {
    const twice = applyEvents(
      openTestScreen(),
      helloEvent,
      createCallReplyEvent(2_000, '', ['a', 'read', { path: 'x' }]),
      createToolSuccess('a', 2_100, 'first'),
      createCallReplyEvent(2_200, '', ['a', 'read', { path: 'y' }]),
      createToolSuccess('a', 2_300, 'second'),
    );
    expect(listCards(twice).map(({ said }) => said)).toEqual(['first', 'second']);
  });

  it('of a round of more calls than a leaf of the conversation holds are all there', () => {
    const many = Array.from(
      { length: 40 },
      (_, index) => [`c${index}`, 'read', { path: String(index) }] as const,
    );
    expect(
      listCards(applyEvents(openTestScreen(), helloEvent, createCallReplyEvent(2_000, '', ...many))),
    ).toHaveLength(40);
  });

  it('are made of arguments and results nested deeper than can be written out', () => {
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
      '(too deeply nested to be shown)',
    );
  });
});

describe('the words of the model', () => {
  it('stay as far as they came when it broke off', () => {
    const model = applyEvents(
      openTestScreen(),
      helloEvent,
      { type: 'text-delta', at: 1_100, text: 'I was about to' },
      { type: 'model-failed', at: 1_200, error: { kind: 'network', message: 'The line is dead.' } },
    );
    expect(renderScreenText(model)).toContain('   I was about to\n');
    expect(renderScreenText(model)).toContain(
      ' ! The model failed (network): The line is dead. It is asked again.',
    );
  });

  it('leave no empty place when it says nothing', () => {
    const quiet = applyEvents(
      openTestScreen(),
      helloEvent,
      { type: 'text-delta', at: 1_100, text: ' ' },
      createCallReplyEvent(1_200, ' '),
    );
    expect(quiet.story.items.filter(({ kind }) => kind === 'model')).toEqual([]);
  });

  it('are its logs where the reply is all protocol', () => {
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

  it('are told to be wrong when they were not understood', () => {
    const reply: Event = { type: 'model-replied', at: 2_000, text: '{', calls: [], problem: 'no JSON' };
    expect(renderScreenText(applyEvents(openTestScreen(), helloEvent, reply))).toContain(
      ' ! The reply was not understood: no JSON',
    );
  });
});

describe('remarks', () => {
  it('tell of phases, of the end and of errors', () => {
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

describe('the answer of a tool that ends the work', () => {
  it('is told in full, once', () => {
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
    const spoken = finished.story.items.filter(({ kind }) => kind === 'model');
    expect(spoken).toMatchObject([{ text: answer }]);
  });
});
