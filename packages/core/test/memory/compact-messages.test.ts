import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendItems, emptyConversation, type ConversationMessage } from '../../src/index.ts';
import {
  compactMessages,
  type MessageCompactionOptions,
  findSafeCuts,
} from '../../src/memory/compact-messages.ts';
import { estimateTokens } from '../../src/memory/estimate-tokens.ts';
import { findConversationFaults } from '../helpers/conversation-faults.ts';

const createUserMessage = (text: string): ConversationMessage => ({ role: 'user', at: 1, text });
const createAssistantMessage = (text: string, ...ids: readonly string[]): ConversationMessage => ({
  role: 'assistant',
  at: 1,
  text,
  calls: ids.map((id) => ({ id, tool: 'read', args: { path: id } })),
});
const createResultMessage = (callId: string, output = 'done', ok = true): ConversationMessage => ({
  role: 'tool',
  at: 1,
  callId,
  tool: 'read',
  outcome: ok ? { ok, output } : { ok, error: { kind: 'failed', message: output } },
});

const options: MessageCompactionOptions = {
  keepTokens: 0,
  keepLast: 2,
  estimate: estimateTokens,
  tag: 'run_7',
  at: 9,
};
const longText = 'words and words '.repeat(30);

/** Everything a call or a result has to stay together with, as pairs of indexes. */
function listCallPairs(
  messages: readonly ConversationMessage[],
): readonly (readonly [call: number, result: number])[] {
  const callers = new Map<string, number>();
  return messages.flatMap((message, index) => {
    if (message.role === 'assistant') for (const { id } of message.calls) callers.set(id, index);
    const caller = message.role === 'tool' ? callers.get(message.callId) : undefined;
    return caller === undefined ? [] : [[caller, index] as const];
  });
}

const anyCallId = fc.constantFrom('a', 'b', 'c');
const anyMessage: fc.Arbitrary<ConversationMessage> = fc.oneof(
  fc.string({ maxLength: 80 }).map(createUserMessage),
  fc
    .tuple(fc.string({ maxLength: 80 }), fc.uniqueArray(anyCallId))
    .map(([text, ids]) => createAssistantMessage(text, ...ids)),
  fc
    .tuple(anyCallId, fc.string({ maxLength: 80 }), fc.boolean())
    .map(([callId, text, ok]) => createResultMessage(callId, text, ok)),
);

/** Rounds as a session has them: each call with its result. */
const anyWellFormedConversation: fc.Arbitrary<readonly ConversationMessage[]> = fc
  .array(
    fc.oneof(
      fc.string({ minLength: 1, maxLength: 200 }).map((text) => [createUserMessage(text)]),
      fc
        .uniqueArray(anyCallId, { minLength: 1 })
        .map((ids) => [
          createAssistantMessage('', ...ids),
          ...ids.map((each) => createResultMessage(each, longText)),
        ]),
      fc.string({ minLength: 1, maxLength: 200 }).map((text) => [createAssistantMessage(text)]),
    ),
    { maxLength: 20 },
  )
  .map((rounds) => [createUserMessage('the goal'), ...rounds.flat()]);

describe('compaction', () => {
  it('leaves a conversation that fits unchanged', () => {
    const messages = [createUserMessage('goal'), createAssistantMessage('answer')];
    const {
      kept: retained,
      compacted,
      summaryStub,
      fits,
    } = compactMessages(messages, {
      ...options,
      keepTokens: 1_000,
    });
    expect({ keep: retained, shelved: compacted, summaryStub, fits }).toEqual({
      keep: messages,
      shelved: [],
      summaryStub: null,
      fits: true,
    });
  });

  it('keeps the goal and the last messages, and summarizes the compacted ones', () => {
    const messages = [
      createUserMessage('the goal'),
      createAssistantMessage(longText, 'a', 'b'),
      createResultMessage('a', longText),
      createResultMessage('b', 'no such file', false),
      createUserMessage('and mind the tests'),
      createAssistantMessage(longText),
      createAssistantMessage('', 'c'),
      createResultMessage('c'),
    ];
    const { kept: retained, compacted, summaryStub, entries } = compactMessages(messages, options);
    expect(retained).toEqual([messages[0], summaryStub, messages[6], messages[7]]);
    expect(compacted).toEqual(messages.slice(1, 6));
    expect(summaryStub?.text.split('\n')).toEqual([
      '[5 earlier messages are in storage under the tag run_7; storage_search and storage_load bring them back.]',
      'The user asked: and mind the tests',
      'Tools used: read 2 times, 1 of them failed.',
      expect.stringMatching(/^The last word was: words and words/),
    ]);
    expect(entries.map(({ key }) => key)).toEqual([
      'messages_9_1,run_7',
      'messages_9_4,run_7',
      'messages_9_5,run_7',
    ]);
    expect(entries.flatMap(({ value }) => value)).toEqual(compacted);
  });

  it("uses a model's summary of the compacted messages, up to a limit", () => {
    const messages = [
      createUserMessage('the goal'),
      createUserMessage('more'),
      createAssistantMessage(longText.repeat(9), 'a'),
      createResultMessage('a', longText),
      createUserMessage('last'),
    ];
    const words = (text: string) => compactMessages(messages, { ...options, keepLast: 1, summary: text });
    expect(words('It was read.').summaryStub?.text.split('\n').slice(1)).toEqual([
      'The user asked: more',
      'What happened: It was read.',
    ]);
    const { summaryStub, compacted, entries } = words('w'.repeat(1e6));
    expect(summaryStub?.text.length).toBeLessThan(2_700);
    expect(entries.flatMap(({ value }) => value)).toEqual(compacted);
  });

  it('omits a summary that is longer than the messages it replaces', () => {
    const messages = [
      createUserMessage('goal'),
      createAssistantMessage(longText),
      createAssistantMessage(longText),
      createUserMessage('last'),
    ];
    const { summaryStub, compacted } = compactMessages(messages, {
      ...options,
      keepLast: 1,
      summary: 'w'.repeat(2_000),
    });
    expect(compacted).toHaveLength(2);
    expect(summaryStub?.text).toContain('The last word was: words and words');
  });

  it('compacts no more than necessary', () => {
    const messages = [
      createUserMessage('goal'),
      ...Array.from({ length: 20 }, (_, index) => createAssistantMessage(`${index} ${longText}`)),
    ];
    const { kept: retained, fits } = compactMessages(messages, { ...options, keepTokens: 1_800 });
    expect(fits).toBe(true);
    expect(retained.length).toBeGreaterThan(7);
    expect(retained.at(-1)).toBe(messages.at(-1));
  });

  it('continues the message count when a summary is compacted', () => {
    const round = (text: string) => [
      createUserMessage(text),
      createAssistantMessage(longText),
      createAssistantMessage(longText),
    ];
    const first = compactMessages([createUserMessage('goal'), ...round('one'), ...round('two')], options);
    const second = compactMessages([...first.kept, ...round('three'), ...round('four')], options);
    expect(first.summaryStub?.text).toMatch(/^\[4 earlier/);
    expect(second.summaryStub?.text).toMatch(/^\[10 earlier/);
    expect(second.kept[0]).toEqual(createUserMessage('goal'));
  });

  it('makes no cut while a call waits for its result', () => {
    expect(
      findSafeCuts([
        createUserMessage('goal'),
        createAssistantMessage('', 'a'),
        createUserMessage('meanwhile'),
      ]),
    ).toEqual([1]);
    expect(
      findSafeCuts([
        createUserMessage('goal'),
        createAssistantMessage('', 'a'),
        createResultMessage('a'),
        createUserMessage('next'),
      ]),
    ).toEqual([1, 3]);
  });

  it('starts no part with a result, not even with one without a call', () => {
    expect(
      findSafeCuts([
        createUserMessage('goal'),
        createUserMessage('more'),
        createResultMessage('of nothing'),
        createUserMessage('next'),
      ]),
    ).toEqual([1, 3]);
    expect(
      findSafeCuts([
        createResultMessage('of nothing'),
        createResultMessage('of nothing'),
        createUserMessage('next'),
      ]),
    ).toEqual([2]);
  });

  it('separates no call from its result, loses no message and keeps the goal, in any conversation', () => {
    fc.assert(
      fc.property(
        fc.array(anyMessage, { maxLength: 40 }),
        fc.nat(600),
        fc.nat(6),
        (messages, keepTokens, keepLast) => {
          const {
            kept: keep,
            compacted,
            summaryStub,
            entries,
            fits,
          } = compactMessages(messages, {
            ...options,
            keepTokens,
            keepLast,
          });
          const retained = new Set<ConversationMessage>(keep);
          const gone = new Set(compacted);
          for (const message of messages) expect(retained.has(message)).toBe(!gone.has(message));
          for (const [call, answer] of listCallPairs(messages)) {
            expect(gone.has(messages[call] as ConversationMessage)).toBe(
              gone.has(messages[answer] as ConversationMessage),
            );
          }
          expect(keep.filter((message) => message !== summaryStub)).toEqual(
            messages.filter((each) => !gone.has(each)),
          );
          expect(entries.flatMap(({ value }) => value)).toEqual(compacted);
          const goal = messages.find(({ role }) => role === 'user');
          if (goal !== undefined) expect(retained.has(goal)).toBe(true);
          if (keepLast > 0)
            for (const message of messages.slice(-keepLast)) expect(retained.has(message)).toBe(true);
          const tokens = keep.reduce((sum, message) => sum + estimateTokens(JSON.stringify(message)), 0);
          expect(fits).toBe(tokens <= keepTokens);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('leaves a conversation that a provider accepts', () => {
    fc.assert(
      fc.property(anyWellFormedConversation, fc.nat(800), (messages, keepTokens) => {
        const { kept: retained } = compactMessages(messages, { ...options, keepTokens });
        expect(
          findConversationFaults(appendItems<ConversationMessage>(emptyConversation, [...retained])),
        ).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
