import { describe, expect, it } from 'vitest';
import { appendItems, emptyConversation, type ConversationMessage, summarizeTurn } from '../../src/index.ts';

const createToolMessage = (at: number, tool: string, output: string | null): ConversationMessage => ({
  role: 'tool',
  at,
  callId: `c${at}`,
  tool,
  outcome: output === null ? { ok: false, error: { kind: 'failed', message: 'no' } } : { ok: true, output },
});

describe('summarizeTurn', () => {
  it('reports the duration, the attempts, the findings and the reason for the end [SAV-144]', () => {
    const messages: readonly ConversationMessage[] = [
      { role: 'user', at: 0, text: 'Find the plans.' },
      createToolMessage(10_000, 'search', 'two hits'),
      createToolMessage(20_000, 'search', 'two hits'),
      createToolMessage(45_000, 'read', null),
    ];
    expect(summarizeTurn(appendItems(emptyConversation, messages), 'the same search came back')).toBe(
      [
        'I stopped after 45 s and 3 tool calls: the same search came back.',
        'Tried: search 2×, read 1× (1 failed).',
        'Found:',
        '- search: two hits',
      ].join('\n'),
    );
  });

  it('covers only the last turn and is never empty', () => {
    const messages: readonly ConversationMessage[] = [
      { role: 'user', at: 0, text: 'One.' },
      createToolMessage(1, 'read', 'old'),
      { role: 'user', at: 5, text: 'Two.' },
    ];
    expect(summarizeTurn(appendItems(emptyConversation, messages), 'stop')).toBe(
      'I stopped after 0 s and 0 tool calls: stop.\nNothing was tried.\nNothing was found.',
    );
    expect(summarizeTurn(emptyConversation, 'stop')).toContain('stop');
  });
});
