import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendAll, emptyConversation, type Message } from '../../src/index.ts';
import { compact, type CompactOptions } from '../../src/memory/compact.ts';
import { estimateTokens } from '../../src/memory/estimate.ts';
import { safeCuts } from '../../src/memory/safe-cuts.ts';
import { faultsIn } from '../helpers/history.ts';

const says = (text: string): Message => ({ role: 'user', at: 1, text });
const replies = (text: string, ...ids: readonly string[]): Message => ({
  role: 'assistant',
  at: 1,
  text,
  calls: ids.map((id) => ({ id, tool: 'read', args: { path: id } })),
});
const result = (callId: string, output = 'done', ok = true): Message => ({
  role: 'tool',
  at: 1,
  callId,
  tool: 'read',
  outcome: ok ? { ok, output } : { ok, error: { kind: 'failed', message: output } },
});

const options: CompactOptions = { keepTokens: 0, keepLast: 2, estimate: estimateTokens, tag: 'run_7', at: 9 };
const long = 'words and words '.repeat(30);

/** Everything a call or a result has to stay together with, as pairs of indexes. */
function pairsIn(messages: readonly Message[]): readonly (readonly [call: number, result: number])[] {
  const callers = new Map<string, number>();
  return messages.flatMap((message, index) => {
    if (message.role === 'assistant') for (const { id } of message.calls) callers.set(id, index);
    const caller = message.role === 'tool' ? callers.get(message.callId) : undefined;
    return caller === undefined ? [] : [[caller, index] as const];
  });
}

const id = fc.constantFrom('a', 'b', 'c');
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.string({ maxLength: 80 }).map(says),
  fc.tuple(fc.string({ maxLength: 80 }), fc.uniqueArray(id)).map(([text, ids]) => replies(text, ...ids)),
  fc
    .tuple(id, fc.string({ maxLength: 80 }), fc.boolean())
    .map(([callId, text, ok]) => result(callId, text, ok)),
);

/** Rounds as a session has them: each call with its result. */
const wellFormed: fc.Arbitrary<readonly Message[]> = fc
  .array(
    fc.oneof(
      fc.string({ minLength: 1, maxLength: 200 }).map((text) => [says(text)]),
      fc
        .uniqueArray(id, { minLength: 1 })
        .map((ids) => [replies('', ...ids), ...ids.map((each) => result(each, long))]),
      fc.string({ minLength: 1, maxLength: 200 }).map((text) => [replies(text)]),
    ),
    { maxLength: 20 },
  )
  .map((rounds) => [says('the goal'), ...rounds.flat()]);

describe('compaction', () => {
  it('leaves a conversation that fits alone', () => {
    const messages = [says('goal'), replies('answer')];
    const { keep, shelved, summaryStub, fits } = compact(messages, { ...options, keepTokens: 1_000 });
    expect({ keep, shelved, summaryStub, fits }).toEqual({
      keep: messages,
      shelved: [],
      summaryStub: null,
      fits: true,
    });
  });

  it('keeps the goal and the last messages, and tells what is shelved', () => {
    const messages = [
      says('the goal'),
      replies(long, 'a', 'b'),
      result('a', long),
      result('b', 'no such file', false),
      says('and mind the tests'),
      replies(long),
      replies('', 'c'),
      result('c'),
    ];
    const { keep, shelved, summaryStub, entries } = compact(messages, options);
    expect(keep).toEqual([messages[0], summaryStub, messages[6], messages[7]]);
    expect(shelved).toEqual(messages.slice(1, 6));
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
    expect(entries.flatMap(({ value }) => value)).toEqual(shelved);
  });

  it("has a model's words stand for what is shelved, and not too many of them", () => {
    const messages = [
      says('the goal'),
      says('more'),
      replies(long.repeat(9), 'a'),
      result('a', long),
      says('last'),
    ];
    const words = (text: string) => compact(messages, { ...options, keepLast: 1, words: text });
    expect(words('It was read.').summaryStub?.text.split('\n').slice(1)).toEqual([
      'The user asked: more',
      'What happened: It was read.',
    ]);
    const { summaryStub, shelved, entries } = words('w'.repeat(1e6));
    expect(summaryStub?.text.length).toBeLessThan(2_700);
    expect(entries.flatMap(({ value }) => value)).toEqual(shelved);
  });

  it('does without the words where they would be longer than what they stand for', () => {
    const messages = [says('goal'), replies(long), replies(long), says('last')];
    const { summaryStub, shelved } = compact(messages, { ...options, keepLast: 1, words: 'w'.repeat(2_000) });
    expect(shelved).toHaveLength(2);
    expect(summaryStub?.text).toContain('The last word was: words and words');
  });

  it('shelves no more than it must', () => {
    const messages = [says('goal'), ...Array.from({ length: 20 }, (_, index) => replies(`${index} ${long}`))];
    const { keep, fits } = compact(messages, { ...options, keepTokens: 1_800 });
    expect(fits).toBe(true);
    expect(keep.length).toBeGreaterThan(7);
    expect(keep.at(-1)).toBe(messages.at(-1));
  });

  it('counts on when a summary is shelved in its turn', () => {
    const round = (text: string) => [says(text), replies(long), replies(long)];
    const first = compact([says('goal'), ...round('one'), ...round('two')], options);
    const second = compact([...first.keep, ...round('three'), ...round('four')], options);
    expect(first.summaryStub?.text).toMatch(/^\[4 earlier/);
    expect(second.summaryStub?.text).toMatch(/^\[10 earlier/);
    expect(second.keep[0]).toEqual(says('goal'));
  });

  it('waits while a call waits for its result', () => {
    expect(safeCuts([says('goal'), replies('', 'a'), says('meanwhile')])).toEqual([1]);
    expect(safeCuts([says('goal'), replies('', 'a'), result('a'), says('next')])).toEqual([1, 3]);
  });

  it('begins no part with a result, not even with one that follows no call', () => {
    expect(safeCuts([says('goal'), says('more'), result('of nothing'), says('next')])).toEqual([1, 3]);
    expect(safeCuts([result('of nothing'), result('of nothing'), says('next')])).toEqual([2]);
  });

  it('parts no call from its result, loses nothing and keeps the goal, in any conversation', () => {
    fc.assert(
      fc.property(
        fc.array(anyMessage, { maxLength: 40 }),
        fc.nat(600),
        fc.nat(6),
        (messages, keepTokens, keepLast) => {
          const { keep, shelved, summaryStub, entries, fits } = compact(messages, {
            ...options,
            keepTokens,
            keepLast,
          });
          const kept = new Set<Message>(keep);
          const gone = new Set(shelved);
          for (const message of messages) expect(kept.has(message)).toBe(!gone.has(message));
          for (const [call, answer] of pairsIn(messages)) {
            expect(gone.has(messages[call] as Message)).toBe(gone.has(messages[answer] as Message));
          }
          expect(keep.filter((message) => message !== summaryStub)).toEqual(
            messages.filter((each) => !gone.has(each)),
          );
          expect(entries.flatMap(({ value }) => value)).toEqual(shelved);
          const goal = messages.find(({ role }) => role === 'user');
          if (goal !== undefined) expect(kept.has(goal)).toBe(true);
          if (keepLast > 0)
            for (const message of messages.slice(-keepLast)) expect(kept.has(message)).toBe(true);
          const tokens = keep.reduce((sum, message) => sum + estimateTokens(JSON.stringify(message)), 0);
          expect(fits).toBe(tokens <= keepTokens);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('leaves what a provider accepts', () => {
    fc.assert(
      fc.property(wellFormed, fc.nat(800), (messages, keepTokens) => {
        const { keep } = compact(messages, { ...options, keepTokens });
        expect(faultsIn(appendAll<Message>(emptyConversation, [...keep]))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
