import type { Json, ToolMessage } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyReplyPayload, type ReplyPayload } from '../../src/protocols/decision.ts';
import { jsonCodec } from '../../src/protocols/json.ts';
import { nativeCodec } from '../../src/protocols/native.ts';
import { xmlCodec } from '../../src/protocols/xml.ts';
import { freeContext, lkjContext, memoryToolDescriptions, readFileTool, createReply } from './contexts.ts';
import { codePoint } from '../../../core/test/helpers/code-point.ts';

const context = { ...lkjContext, tools: [...memoryToolDescriptions, readFileTool], callsMax: 5 };

/** Text that is hard to carry: tags, entities, quotes, fences, half characters. */
const arbitraryText = fc.oneof(
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
const arbitraryTrimmedText = arbitraryText.map((each) => each.trim()).filter((each) => each !== '');
const arbitraryOrNull = (each: fc.Arbitrary<string>) => fc.option(each, { nil: null });

const arbitraryMemoryCall = fc.record({
  tool: fc.constantFrom('working_memory_add', 'storage_save'),
  args: fc.record({ tags: arbitraryText, value: arbitraryText }),
});
const arbitraryReadCall = fc.record({
  tool: fc.constant('read_file'),
  args: fc.record(
    {
      path: arbitraryText,
      first: fc.integer(),
      isRaw: fc.boolean(),
      labels: fc.array(arbitraryText),
      options: fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<Json>),
    },
    { requiredKeys: ['path'] },
  ),
});

/** What a model may say: calls, or where to go, or the answer. */
const arbitraryLogs = fc.record({
  think: arbitraryOrNull(arbitraryTrimmedText),
  evaluation: arbitraryOrNull(arbitraryTrimmedText),
});
const arbitraryCalls = fc.array(fc.oneof(arbitraryMemoryCall, arbitraryReadCall), {
  minLength: 1,
  maxLength: 5,
});
const arbitraryCallContent: fc.Arbitrary<ReplyPayload> = fc
  .record({ calls: arbitraryCalls, logs: arbitraryLogs })
  .map((part) => ({ ...emptyReplyPayload, ...part }));
const arbitraryStateContent: fc.Arbitrary<ReplyPayload> = fc
  .record({ nextState: arbitraryTrimmedText, logs: arbitraryLogs })
  .map((part) => ({ ...emptyReplyPayload, ...part }));
const arbitraryAnswerContent: fc.Arbitrary<ReplyPayload> = fc
  .record({ answer: arbitraryTrimmedText, logs: arbitraryLogs })
  .map((part) => ({ ...emptyReplyPayload, ...part }));

/** Two JSON values are the same if they are written the same: -0 is 0. */
const toPlainJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function expectedKind({ calls, answer }: ReplyPayload): string {
  if (calls.length > 0) return 'action';
  return answer === null ? 'thought' : 'answer';
}

describe('an encoded reply', () => {
  it('in XML decodes to the same payload', () => {
    fc.assert(
      fc.property(fc.oneof(arbitraryCallContent, arbitraryStateContent), (content) => {
        const { problems, isProtocolReply, kind, ...read } = xmlCodec.decode(
          xmlCodec.encode(content, context),
          context,
        );
        expect(problems).toEqual([]);
        expect(isProtocolReply).toBe(true);
        expect(kind).toBe(expectedKind(content));
        expect(toPlainJson(read)).toEqual(toPlainJson(content));
      }),
      { numRuns: 500 },
    );
  });

  it('in JSON decodes to the same payload', () => {
    fc.assert(
      fc.property(
        fc.oneof(arbitraryCallContent, arbitraryStateContent, arbitraryAnswerContent),
        (content) => {
          const { problems, isProtocolReply, kind, ...read } = jsonCodec.decode(
            jsonCodec.encode(content, context),
            context,
          );
          expect(problems).toEqual([]);
          expect(isProtocolReply).toBe(true);
          expect(kind).toBe(expectedKind(content));
          expect(toPlainJson(read)).toEqual(toPlainJson(content));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('in native calls decodes to the same payload', () => {
    fc.assert(
      fc.property(arbitraryCalls, (asked) => {
        const content = { ...emptyReplyPayload, calls: asked };
        expect(nativeCodec.decode(nativeCodec.encode(content, context), context).calls).toEqual(asked);
      }),
    );
    const answer = nativeCodec.encode({ ...emptyReplyPayload, answer: 'It is 42.' }, context);
    expect(nativeCodec.decode(answer, context).answer).toBe('It is 42.');
  });

  it('keeps the prose before it', () => {
    for (const codec of [xmlCodec, jsonCodec]) {
      const content = { ...emptyReplyPayload, text: 'So then.', nextState: 'thinking' };
      expect(codec.decode(codec.encode(content, context), context)).toMatchObject(content);
    }
  });
});

describe('a result', () => {
  const outcome: fc.Arbitrary<ToolMessage['outcome']> = fc.oneof(
    fc.jsonValue().map((output) => ({ ok: true as const, output: output as Json })),
    fc
      .oneof(
        arbitraryText,
        arbitraryCallContent.map((content) => xmlCodec.encode(content, context).text),
        arbitraryCallContent.map((content) => jsonCodec.encode(content, context).text),
      )
      .map((output) => ({ ok: true as const, output })),
    arbitraryText.map((message) => ({ ok: false as const, error: { kind: 'failed' as const, message } })),
  );
  const result: fc.Arbitrary<ToolMessage> = fc
    .record({ tool: arbitraryText, outcome })
    .map((part) => ({ role: 'tool', at: 0, callId: '1', ...part }));

  it('cannot imitate a decision, whatever it contains', () => {
    fc.assert(
      fc.property(fc.array(result, { maxLength: 3 }), (results) => {
        for (const codec of [xmlCodec, jsonCodec]) {
          const decision = codec.decode(createReply(codec.observe(results)), context);
          expect(decision).toMatchObject({
            calls: [],
            nextState: null,
            answer: null,
            isProtocolReply: false,
          });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('names the tool, its status and its output', () => {
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
    expect(jsonCodec.decode(createReply(jsonCodec.observe([ok])), freeContext).calls).toEqual([]);
  });
});
