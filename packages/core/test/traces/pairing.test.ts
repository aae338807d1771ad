import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { openaiChat } from '../../src/traces/openai-chat.ts';
import { problemsIn, readOne } from './read.ts';

function call(...ids: readonly (string | undefined)[]): Json {
  const calls = ids.map((id, index) => ({ id, function: { name: 'f', arguments: `${index}` } }));
  return { role: 'assistant', tool_calls: calls } as unknown as Json;
}

function result(id: string | undefined, content: string): Json {
  return { role: 'tool', ...(id === undefined ? {} : { tool_call_id: id }), content };
}

function results(...messages: readonly Json[]): readonly unknown[] {
  return readOne(openaiChat, messages).steps.map((step) => step.result);
}

describe('calls and results', () => {
  it('are brought together by their ids, in whatever order they come', () => {
    expect(results(call('a', 'b', 'c'), result('c', '3'), result('a', '1'), result('b', '2'))).toEqual([
      '1',
      '2',
      '3',
    ]);
  });

  it('are brought together when the result is written first', () => {
    expect(results(result('a', '1'), call('a'))).toEqual(['1']);
  });

  it('with an id that is used again go together one after the other', () => {
    expect(results(call('a'), result('a', '1'), call('a'), result('a', '2'))).toEqual(['1', '2']);
    expect(results(call('a', 'a'), result('a', '1'), result('a', '2'))).toEqual(['1', '2']);
  });

  it('without ids go together in their order', () => {
    expect(results(call(undefined, undefined), result(undefined, '1'), result(undefined, '2'))).toEqual([
      '1',
      '2',
    ]);
    expect(results(call('a', 'b'), result(undefined, '1'), result('b', '2'))).toEqual(['1', '2']);
  });

  it('leave a call without its result open', () => {
    expect(results(call('a', 'b'), result('b', '2'))).toEqual([undefined, '2']);
  });

  it('of which there are too many are told, and the first one counts', () => {
    const messages = [call('a'), result('a', '1'), result('a', '2'), result(undefined, '3')];
    expect(problemsIn(openaiChat, messages)).toEqual([
      '[2]: a second result for the call a',
      '[3]: a result without an id, and no call waits for one',
    ]);
    expect(openaiChat.parse(messages, 'name').runs[0]?.steps[0]?.result).toBe('1');
  });

  it('find each other in any order, as long as ids are used once', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 12 });
    const shuffled = ids.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray([...list.map((id) => call(id)), ...list.map((id) => result(id, `of ${id}`))], {
          minLength: list.length * 2,
        }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([list, messages]) => {
        const { steps } = readOne(openaiChat, messages);
        expect(steps).toHaveLength(list.length);
        expect(new Set(steps.map((step) => step.result))).toEqual(new Set(list.map((id) => `of ${id}`)));
      }),
    );
  });
});
