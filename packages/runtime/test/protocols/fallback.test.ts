import { describe, expect, it } from 'vitest';
import { createFallbackCodec } from '../../src/protocols/protocol-model.ts';
import { jsonCodec } from '../../src/protocols/json.ts';
import { nativeCodec } from '../../src/protocols/native.ts';
import { xmlCodec } from '../../src/protocols/xml.ts';
import { freeContext, lkjContext, readFileTool, createReply } from './contexts.ts';

const fallbackCodec = createFallbackCodec([nativeCodec, jsonCodec, xmlCodec]);
const call = { tool: 'read_file', args: { path: 'a' } };
const jsonCall = JSON.stringify({ tool: 'read_file', args: { path: 'a' } });
const xmlCall = '<agent><action><type>read_file</type><path>a</path></action></agent>';

describe('several protocols combined', () => {
  it('decode to the same decision [RX-05]', () => {
    for (const sent of [
      createReply('', [call]),
      createReply(jsonCall),
      createReply(xmlCall),
      createReply(`Well: ${xmlCall}`),
    ]) {
      const decision = fallbackCodec.decode(sent, freeContext);
      expect(decision).toMatchObject({ calls: [call], nextState: null, answer: null, problems: [] });
    }
    const [native, json, xml] = [nativeCodec, jsonCodec, xmlCodec].map((codec, index) => {
      return codec.decode(
        [createReply('', [call]), createReply(jsonCall), createReply(xmlCall)][index] ?? createReply(''),
        freeContext,
      );
    });
    expect(json).toEqual(native);
    expect(xml).toEqual(native);
  });

  it('prefer the calls that the provider separated from the text', () => {
    const other = { tool: 'read_file', args: { path: 'b' } };
    expect(fallbackCodec.decode(createReply(jsonCall, [other]), freeContext).calls).toEqual([other]);
  });

  it('accept prose as an answer only if native calls are among them', () => {
    expect(fallbackCodec.decode(createReply('It is 42.'), freeContext)).toMatchObject({
      answer: 'It is 42.',
      problems: [],
    });
    const strict = createFallbackCodec([xmlCodec, jsonCodec]);
    expect(strict.decode(createReply('It is 42.'), lkjContext)).toMatchObject({
      answer: null,
      problems: [{ problem: 'there is no <agent> element' }],
    });
  });

  it('report problems in the protocol that the reply shows signs of', () => {
    const cut = fallbackCodec.decode(createReply('{"tool":"read_file","args":{"path":"a'), freeContext);
    expect(cut).toMatchObject({ calls: [], answer: null, problems: [{ location: 'the end of the reply' }] });
    const unreadable = fallbackCodec.decode(createReply('{"action": "tool" : : "tool"}'), freeContext);
    expect(unreadable).toMatchObject({ answer: null, problems: [{ problem: 'the JSON is invalid' }] });
    const untyped = fallbackCodec.decode(
      createReply('<agent><action><path>a</path></action></agent>'),
      freeContext,
    );
    expect(untyped.problems[0]?.location).toBe('<type>');
    const unread = fallbackCodec.decode(
      createReply('', [{ tool: 'read_file', args: '{"path":' }]),
      freeContext,
    );
    expect(unread.problems[0]?.location).toBe('call 1 of 1');
  });

  it('keep an answer that only quotes a call of another tool, mentions a tag or shows code', () => {
    for (const text of [
      'Send {"tool":"delete_all","args":{}} to their server.',
      'The <agent> element holds an <action>.',
      'Here you are: {"answer": 42}.',
      '{"answer": 42, "unit": "m"}',
      '{"reasoning": "long", "score": 3}',
      'Use `const call = { tool: "x", action: y, run() { return 1; } }`.',
      'Like {"name": "pkg", ... } in package.json',
      'Write `const x = { name: 1 };` and {"weather": "fine"}.',
    ]) {
      expect(fallbackCodec.decode(createReply(text), freeContext)).toMatchObject({
        answer: text,
        calls: [],
        problems: [],
      });
    }
  });

  it('read the next state and the logs from the matching protocol', () => {
    expect(fallbackCodec.decode(createReply('{"next_state":"evaluating"}'), lkjContext).nextState).toBe(
      'evaluating',
    );
    expect(fallbackCodec.decode(createReply('<think_log>x</think_log>'), lkjContext).logs.think).toBe('x');
  });

  it('use the first one for instructions and encoding', () => {
    const context = { ...freeContext, tools: [readFileTool] };
    expect(createFallbackCodec([jsonCodec, xmlCodec]).example(context)).toBe(jsonCodec.example(context));
    expect(fallbackCodec.name).toBe('native, json, xml');
  });
});
