import type { Json, ToolMessage } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nothingSaid, type Said } from '../../src/protocols/decision.ts';
import { jsonCodec } from '../../src/protocols/json.ts';
import { nativeCodec } from '../../src/protocols/native.ts';
import { xmlCodec } from '../../src/protocols/xml.ts';
import { free, lkj, memoryTools, readTool, reply } from './contexts.ts';
import { codePoint } from '../../../core/test/helpers/code-point.ts';

const context = { ...lkj, tools: [...memoryTools, readTool], callsMax: 5 };

/** Text that is hard to carry: tags, entities, quotes, fences, half characters. */
const text = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.string({
    unit: fc.constantFrom(
      '<',
      '>',
      '&',
      ']]>',
      '</value>',
      '<agent>',
      '"',
      "'",
      '\\',
      '{',
      '}',
      '\n',
      '```',
      ' ',
      'a',
      '\ud800',
      '&lt;',
      '<![CDATA[',
      '<!--',
    ),
  }),
);
const trimmed = text.map((each) => each.trim()).filter((each) => each !== '');
const maybe = (each: fc.Arbitrary<string>) => fc.option(each, { nil: null });

const memoryCall = fc.record({
  tool: fc.constantFrom('working_memory_add', 'storage_save'),
  args: fc.record({ tags: text, value: text }),
});
const readCall = fc.record({
  tool: fc.constant('read_file'),
  args: fc.record(
    {
      path: text,
      first: fc.integer(),
      isRaw: fc.boolean(),
      labels: fc.array(text),
      options: fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<Json>),
    },
    { requiredKeys: ['path'] },
  ),
});

/** What a model may say: calls, or where to go, or the answer. */
const logs = fc.record({ think: maybe(trimmed), evaluation: maybe(trimmed) });
const calls = fc.array(fc.oneof(memoryCall, readCall), { minLength: 1, maxLength: 5 });
const acting: fc.Arbitrary<Said> = fc.record({ calls, logs }).map((part) => ({ ...nothingSaid, ...part }));
const moving: fc.Arbitrary<Said> = fc
  .record({ nextState: trimmed, logs })
  .map((part) => ({ ...nothingSaid, ...part }));
const answering: fc.Arbitrary<Said> = fc
  .record({ answer: trimmed, logs })
  .map((part) => ({ ...nothingSaid, ...part }));

/** Two JSON values are the same if they are written the same: -0 is 0. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('what is written', () => {
  it('in XML is read back as it was', () => {
    fc.assert(
      fc.property(fc.oneof(acting, moving), (said) => {
        const { problems, isTraced, ...read } = xmlCodec.decode(xmlCodec.encode(said, context), context);
        expect(problems).toEqual([]);
        expect(isTraced).toBe(true);
        expect(plain(read)).toEqual(plain(said));
      }),
      { numRuns: 500 },
    );
  });

  it('in JSON is read back as it was', () => {
    fc.assert(
      fc.property(fc.oneof(acting, moving, answering), (said) => {
        const { problems, isTraced, ...read } = jsonCodec.decode(jsonCodec.encode(said, context), context);
        expect(problems).toEqual([]);
        expect(isTraced).toBe(true);
        expect(plain(read)).toEqual(plain(said));
      }),
      { numRuns: 500 },
    );
  });

  it('in native calls is read back as it was', () => {
    fc.assert(
      fc.property(calls, (asked) => {
        const said = { ...nothingSaid, calls: asked };
        expect(nativeCodec.decode(nativeCodec.encode(said, context), context).calls).toEqual(asked);
      }),
    );
    const answer = nativeCodec.encode({ ...nothingSaid, answer: 'It is 42.' }, context);
    expect(nativeCodec.decode(answer, context).answer).toBe('It is 42.');
  });

  it('keeps the prose before it', () => {
    for (const codec of [xmlCodec, jsonCodec]) {
      const said = { ...nothingSaid, text: 'So then.', nextState: 'thinking' };
      expect(codec.decode(codec.encode(said, context), context)).toMatchObject(said);
    }
  });
});

describe('a result', () => {
  const outcome: fc.Arbitrary<ToolMessage['outcome']> = fc.oneof(
    fc.jsonValue().map((output) => ({ ok: true as const, output: output as Json })),
    fc
      .oneof(
        text,
        acting.map((said) => xmlCodec.encode(said, context).text),
        acting.map((said) => jsonCodec.encode(said, context).text),
      )
      .map((output) => ({ ok: true as const, output })),
    text.map((message) => ({ ok: false as const, error: { kind: 'failed' as const, message } })),
  );
  const result: fc.Arbitrary<ToolMessage> = fc
    .record({ tool: text, outcome })
    .map((part) => ({ role: 'tool', at: 0, callId: '1', ...part }));

  it('cannot pass for a decision, whatever it says', () => {
    fc.assert(
      fc.property(fc.array(result, { maxLength: 3 }), (results) => {
        for (const codec of [xmlCodec, jsonCodec]) {
          const decision = codec.decode(reply(codec.observe(results)), context);
          expect(decision).toMatchObject({ calls: [], nextState: null, answer: null, isTraced: false });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('tells the tool, how it went and what came of it', () => {
    const ok: ToolMessage = {
      role: 'tool',
      at: 0,
      callId: '1',
      tool: 'read_file',
      outcome: { ok: true, output: 'a < b' },
    };
    expect(xmlCodec.observe([ok])).toBe('<observation of="read_file" ok="true">a &lt; b</observation>');
    expect(jsonCodec.observe([ok])).toBe('{"observation":{"of":"read_file","ok":true,"output":"a < b"}}');
    const failed: ToolMessage = { ...ok, outcome: { ok: false, error: { kind: 'denied', message: 'no' } } };
    expect(xmlCodec.observe([failed])).toBe('<observation of="read_file" ok="false">Error: no</observation>');
    expect(jsonCodec.observe([failed])).toBe('{"observation":{"of":"read_file","ok":false,"error":"no"}}');
    expect(jsonCodec.decode(reply(jsonCodec.observe([ok])), free).calls).toEqual([]);
  });
});
