import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { openaiChatFormat } from '../../src/traces/openai-chat.ts';
import { listTraceProblems, parseSingleRun } from './parse-single-run.ts';

function createChatCalls(...ids: readonly (string | undefined)[]): Json {
  const calls = ids.map((id, index) => ({ id, function: { name: 'f', arguments: `${index}` } }));
  return { role: 'assistant', tool_calls: calls } as unknown as Json;
}

function createChatResult(id: string | undefined, content: string): Json {
  return { role: 'tool', ...(id === undefined ? {} : { tool_call_id: id }), content };
}

function listStepResults(...messages: readonly Json[]): readonly unknown[] {
  return parseSingleRun(openaiChatFormat, messages).steps.map((step) => step.result);
}

describe('calls and results', () => {
  it('are paired by id, in any order', () => {
    expect(
      listStepResults(
        createChatCalls('a', 'b', 'c'),
        createChatResult('c', '3'),
        createChatResult('a', '1'),
        createChatResult('b', '2'),
      ),
    ).toEqual(['1', '2', '3']);
  });

  it('are paired if the result comes first', () => {
    expect(listStepResults(createChatResult('a', '1'), createChatCalls('a'))).toEqual(['1']);
  });

  it('with a reused id are paired in order', () => {
    expect(
      listStepResults(
        createChatCalls('a'),
        createChatResult('a', '1'),
        createChatCalls('a'),
        createChatResult('a', '2'),
      ),
    ).toEqual(['1', '2']);
    expect(
      listStepResults(createChatCalls('a', 'a'), createChatResult('a', '1'), createChatResult('a', '2')),
    ).toEqual(['1', '2']);
  });

  it('without ids are paired in order', () => {
    expect(
      listStepResults(
        createChatCalls(undefined, undefined),
        createChatResult(undefined, '1'),
        createChatResult(undefined, '2'),
      ),
    ).toEqual(['1', '2']);
    expect(
      listStepResults(
        createChatCalls('a', 'b'),
        createChatResult(undefined, '1'),
        createChatResult('b', '2'),
      ),
    ).toEqual(['1', '2']);
  });

  it('leave a call without its result open', () => {
    expect(listStepResults(createChatCalls('a', 'b'), createChatResult('b', '2'))).toEqual([undefined, '2']);
  });

  it('in excess are reported, and the first one counts', () => {
    const messages = [
      createChatCalls('a'),
      createChatResult('a', '1'),
      createChatResult('a', '2'),
      createChatResult(undefined, '3'),
    ];
    expect(listTraceProblems(openaiChatFormat, messages)).toEqual([
      '[2]: a second result for the call a',
      '[3]: a result without an id, and no call waits for one',
    ]);
    expect(openaiChatFormat.parse(messages, 'name').runs[0]?.steps[0]?.result).toBe('1');
  });

  it('are paired in any order if ids are unique', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 12 });
    const shuffled = ids.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray(
          [...list.map((id) => createChatCalls(id)), ...list.map((id) => createChatResult(id, `of ${id}`))],
          {
            minLength: list.length * 2,
          },
        ),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([list, messages]) => {
        const { steps } = parseSingleRun(openaiChatFormat, messages);
        expect(steps).toHaveLength(list.length);
        expect(new Set(steps.map((step) => step.result))).toEqual(new Set(list.map((id) => `of ${id}`)));
      }),
    );
  });
});
