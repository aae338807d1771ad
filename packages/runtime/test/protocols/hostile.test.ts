import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelDecision } from '../../src/protocols/decision.ts';
import { createFallbackCodec } from '../../src/protocols/protocol-model.ts';
import { jsonCodec, decodeJson } from '../../src/protocols/json.ts';
import { nativeCodec } from '../../src/protocols/native.ts';
import { createScanSource } from '../../src/protocols/scan-source.ts';
import { xmlCodec, decodeXml } from '../../src/protocols/xml.ts';
import { freeContext, lkjContext, memoryToolDescriptions, readFileTool, createReply } from './contexts.ts';
import { codePoint } from '../../../core/test/helpers/code-point.ts';

const context = { ...lkjContext, tools: [...memoryToolDescriptions, readFileTool], callsMax: 3 };
const codecs = [nativeCodec, jsonCodec, xmlCodec, createFallbackCodec([nativeCodec, jsonCodec, xmlCodec])];

/** What holds for every decision, whatever the reply. */
function checkDecision(decision: ModelDecision): void {
  const { problems, calls, nextState, answer, logs } = decision;
  if (problems.length > 0)
    expect({ calls, nextState, answer }).toEqual({ calls: [], nextState: null, answer: null });
  else expect(calls.length > 0 || (nextState ?? answer ?? logs.think ?? logs.evaluation) !== null).toBe(true);
  if (calls.length > 0) expect({ nextState, answer }).toEqual({ nextState: null, answer: null });
  expect(calls.length).toBeLessThanOrEqual(context.callsMax);
  for (const { tool, args } of calls) {
    expect(tool).not.toBe('');
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect(JSON.stringify(JSON.parse(JSON.stringify(args)))).toBe(JSON.stringify(args));
  }
}

function decodeAll(text: string): readonly ModelDecision[] {
  const inherited = Object.getOwnPropertyNames(Object.prototype).length;
  const asked = [createReply(text), createReply('', [{ tool: 'read_file', args: text }])];
  const decisions = codecs.flatMap((codec) => asked.map((each) => codec.decode(each, context)));
  expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(inherited);
  return decisions;
}

const validReplies = [
  '<agent>\n<action>\n<type>storage_save</type>\n<tags>a b</tags>\n<value><![CDATA[x < y && z]]></value>\n</action>\n</agent>',
  'So:\n```xml\n<agent><next_state>thinking</next_state><think_log>I &lt;3 it</think_log><!-- c --></agent>\n```',
  '<agent><action type="working_memory_add" tags=\'__proto__\' value="1"/></agent>',
  '{"agent":{"action":{"type":"storage_save","tags":"__proto__","value":"{\\"a\\":1}"}}}',
  '```json\n{"action":"tool","tool":"read_file","args":{"path":"a","options":{"__proto__":{"x":1}}},"reasoning":"r"}\n```',
  '{"calls":[{"tool":"read_file","args":{"path":"a"}},{"name":"read_file","arguments":"{\\"path\\":\\"b\\"}"}]}',
  "{action: 'finish', final: 'it\\'s done',}",
];

/** A valid reply after some cuts, insertions and repetitions. */
const arbitraryMutation = fc
  .tuple(
    fc.constantFrom(...validReplies),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat(),
        fc.constantFrom('cut', 'twice', '<', '&', '"', '}', '\ud800', '</value>', ']]>', '__proto__'),
      ),
      {
        maxLength: 5,
      },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((sum, [one, other, change]) => {
      const [from = 0, to = 0] = [one % (sum.length + 1), other % (sum.length + 1)].toSorted((a, b) => a - b);
      if (change === 'cut') return sum.slice(0, from) + sum.slice(to);
      if (change === 'twice') return sum.slice(0, to) + sum.slice(from);
      return sum.slice(0, from) + change + sum.slice(from);
    }, text),
  );

const replyPieces = [
  '<agent>',
  '</agent>',
  '<action>',
  '</action>',
  '<type>',
  '<value>',
  '</value>',
  '<action type="',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '&amp;',
  '&#',
  'storage_load',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  ':',
  ',',
  '\\',
  '"tool"',
  '"args"',
  '"action"',
  '__proto__',
  '```',
  '\n',
  ' ',
  '1e999',
  '\udc00',
];
const arbitraryJumble = fc
  .array(fc.constantFrom(...replyPieces), { maxLength: 60 })
  .map((parts) => parts.join(''));

function createDeepCall(depth: number): string {
  return `{"tool":"read_file","args":{"options":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
}

describe('no reply', () => {
  it.each([
    ['of any characters', fc.string({ unit: codePoint, maxLength: 300 })],
    [
      'of half characters',
      fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 })).map((codes) => String.fromCharCode(...codes)),
    ],
    ['of jumbled pieces', arbitraryJumble],
    ['that was once valid', arbitraryMutation],
  ])('%s makes a codec throw or do half of something', (_, text) => {
    fc.assert(
      fc.property(text, (each) => {
        for (const decision of decodeAll(each)) checkDecision(decision);
      }),
      { numRuns: 1_500 },
    );
  });

  it('causes an incomplete call, wherever it is cut off', () => {
    const args = { tags: 'a b', value: 'x <b> & "y" {z} ]]> \n end' };
    const payload = {
      text: '',
      calls: [{ tool: 'storage_save', args }],
      nextState: null,
      logs: { think: 'why', evaluation: null },
      answer: null,
    };
    for (const codec of [xmlCodec, jsonCodec]) {
      const { text } = codec.encode(payload, context);
      for (let length = 0; length <= text.length; length += 1) {
        const { calls } = codec.decode(createReply(text.slice(0, length)), context);
        if (calls.length > 0) expect(calls).toEqual(payload.calls);
      }
      expect(codec.decode(createReply(text), context).calls).toEqual(payload.calls);
    }
    const written = JSON.stringify(args);
    for (let length = 1; length < written.length; length += 1) {
      const cut = { tool: 'storage_save', args: written.slice(0, length) };
      expect(nativeCodec.decode(createReply('', [cut]), context).calls).toEqual([]);
    }
  });

  it('overflows the stack by nesting', () => {
    expect(jsonCodec.decode(createReply(createDeepCall(50)), freeContext).calls).toHaveLength(1);
    for (const depth of [300, 5_000, 200_000]) {
      expect(jsonCodec.decode(createReply(createDeepCall(depth)), freeContext)).toMatchObject({
        calls: [],
        problems: [{ location: expect.any(String) }],
      });
      expect(
        jsonCodec.decode(createReply(createDeepCall(depth).replace('}}', ',}}')), freeContext).calls,
      ).toEqual([]);
      const answer = createDeepCall(depth).replace('"tool":"read_file","args"', '"action":"finish","final"');
      expect(jsonCodec.decode(createReply(answer), freeContext)).toMatchObject({
        answer: null,
        problems: [{ location: '"final"' }],
      });
    }
  });
});

describe('the decoding work', () => {
  const units = [
    '<agent>',
    '</agent>',
    '<agent><action>',
    '<action type="',
    "<action type='x' ",
    '<action ',
    '<',
    '</',
    '<!--',
    '<!-- -->',
    '<![CDATA[',
    '<![CDATA[]]>',
    '<think_log>',
    '<think_log><action>',
    '<action><value>',
    '<value>',
    '</value>',
    '<action><value></action>',
    '&amp;',
    '&',
    '{',
    '[',
    '[{',
    '{"',
    '{"a":',
    '{"tool":',
    '{"tool":"',
    '{"tool":"x"} ',
    '"',
    "'",
    "{'",
    "{a:'b ",
    '\\',
    '```',
    '```json\n{',
    '\n```',
    '{"a"   ',
    '<agent \n',
    ' ',
    '<think>',
    'a',
    '<next_state>',
    '{ / ',
  ];

  it.each(units)('for repeated %j grows linearly with the reply', (unit) => {
    const looked = (count: number) => {
      const text = unit.repeat(count);
      const [xml, json] = [createScanSource(text), createScanSource(text)];
      checkDecision(decodeXml(xml, null, context));
      checkDecision(decodeJson(json, null, context));
      return { xml: xml.countScanned() / text.length, json: json.countScanned() / text.length };
    };
    const [once, twice] = [looked(20_000), looked(40_000)];
    expect(once.xml).toBeLessThan(80);
    expect(once.json).toBeLessThan(80);
    expect(twice.xml).toBeLessThan(once.xml * 1.1 + 1);
    expect(twice.json).toBeLessThan(once.json * 1.1 + 1);
  });

  it('for a reply of a million characters completes', () => {
    for (const unit of ['<agent>', '{', '<', '&amp;', '[', '{"tool":']) {
      for (const decision of decodeAll(unit.repeat(1_000_000 / unit.length))) checkDecision(decision);
    }
  });
});
