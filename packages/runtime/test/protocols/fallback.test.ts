import { describe, expect, it } from 'vitest';
import { createFallback } from '../../src/protocols/fallback.ts';
import { jsonCodec } from '../../src/protocols/json.ts';
import { nativeCodec } from '../../src/protocols/native.ts';
import { xmlCodec } from '../../src/protocols/xml.ts';
import { free, lkj, readTool, reply } from './contexts.ts';

const all = createFallback([nativeCodec, jsonCodec, xmlCodec]);
const call = { tool: 'read_file', args: { path: 'a' } };
const asJson = JSON.stringify({ tool: 'read_file', args: { path: 'a' } });
const asXml = '<agent><action><type>read_file</type><path>a</path></action></agent>';

describe('several protocols at once', () => {
  it('come to one and the same decision [RX-05]', () => {
    for (const sent of [reply('', [call]), reply(asJson), reply(asXml), reply(`Well: ${asXml}`)]) {
      const decision = all.decode(sent, free);
      expect(decision).toMatchObject({ calls: [call], nextState: null, answer: null, problems: [] });
    }
    const [native, json, xml] = [nativeCodec, jsonCodec, xmlCodec].map((codec, index) => {
      return codec.decode([reply('', [call]), reply(asJson), reply(asXml)][index] ?? reply(''), free);
    });
    expect(json).toEqual(native);
    expect(xml).toEqual(native);
  });

  it('prefer the calls that the provider has told apart', () => {
    const other = { tool: 'read_file', args: { path: 'b' } };
    expect(all.decode(reply(asJson, [other]), free).calls).toEqual([other]);
  });

  it('take prose for an answer where native calls are among them, and refuse it where they are not', () => {
    expect(all.decode(reply('It is 42.'), free)).toMatchObject({ answer: 'It is 42.', problems: [] });
    const strict = createFallback([xmlCodec, jsonCodec]);
    expect(strict.decode(reply('It is 42.'), lkj)).toMatchObject({
      answer: null,
      problems: [{ what: 'there is no <agent> element' }],
    });
  });

  it('say what is wrong in the protocol that the reply shows signs of', () => {
    const cut = all.decode(reply('{"tool":"read_file","args":{"path":"a'), free);
    expect(cut).toMatchObject({ calls: [], answer: null, problems: [{ where: 'the end of the reply' }] });
    const unreadable = all.decode(reply('{"action": "tool" : : "tool"}'), free);
    expect(unreadable).toMatchObject({ answer: null, problems: [{ what: 'the JSON cannot be read' }] });
    const untyped = all.decode(reply('<agent><action><path>a</path></action></agent>'), free);
    expect(untyped.problems[0]?.where).toBe('<type>');
    const unread = all.decode(reply('', [{ tool: 'read_file', args: '{"path":' }]), free);
    expect(unread.problems[0]?.where).toBe('call 1 of 1');
  });

  it('leave an answer alone that only quotes a call of some other tool, names a tag or shows code', () => {
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
      expect(all.decode(reply(text), free)).toMatchObject({ answer: text, calls: [], problems: [] });
    }
  });

  it('read the next state and the logs of whichever protocol has them', () => {
    expect(all.decode(reply('{"next_state":"evaluating"}'), lkj).nextState).toBe('evaluating');
    expect(all.decode(reply('<think_log>x</think_log>'), lkj).logs.think).toBe('x');
  });

  it('ask and answer in the first one', () => {
    const context = { ...free, tools: [readTool] };
    expect(createFallback([jsonCodec, xmlCodec]).example(context)).toBe(jsonCodec.example(context));
    expect(all.name).toBe('native, json, xml');
  });
});
