import { describe, expect, it } from 'vitest';
import { jsonCodec } from '../../src/protocols/json.ts';
import { xmlCodec } from '../../src/protocols/xml.ts';
import { freeContext, lkjContext, lkj1Context, createReply } from './contexts.ts';

const decodeJsonReply = (text: string, context = freeContext) => jsonCodec.decode(createReply(text), context);
const searchCalls = [{ tool: 'context.fts_search', args: { query: 'execution' } }];
const searchCallText =
  '{"action":"tool","tool_name":"context.fts_search","args":{"query":"execution"},"reasoning":"Need it."}';

const decodeReadCall = (path: string) => decodeJsonReply(`{"tool":"read_file","args":{"path":"${path}"}}`);

describe('a reply in JSON', () => {
  it('is found and normalized, alone, in a code block or between prose [SAV-35]', () => {
    for (const text of [
      searchCallText,
      `\`\`\`json\n${searchCallText}\n\`\`\``,
      `\`\`\`\n${searchCallText}\n\`\`\``,
      `I will search {now}. ${searchCallText} Let me see.`,
      `Some code: if (a) { b(); } and {x}.\n\n\`\`\`json\n${searchCallText}\n\`\`\``,
      `{"weather": "fine"} ${searchCallText}`,
      `<think>{"action":"finish","final":"no"}</think>${searchCallText}`,
    ]) {
      expect(decodeJsonReply(text)).toMatchObject({ calls: searchCalls, problems: [] });
      expect(decodeJsonReply(text).logs.think).toContain('Need it.');
    }
  });

  it.each([
    ['a tool under tool', '{"action":"tool","tool":"context.fts_search","args":{"query":"execution"}}'],
    ['a tool as the action', '{"action":"context.fts_search","args":{"query":"execution"}}'],
    [
      'a tool as the action with its input',
      '{"action":"context.fts_search","action_input":{"query":"execution"}}',
    ],
    [
      'an unknown action beside a tool',
      '{"action":"lookup","tool":"context.fts_search","args":{"query":"execution"}}',
    ],
    ['a function call', '{"name":"context.fts_search","arguments":{"query":"execution"}}'],
    ['arguments in a string', '{"name":"context.fts_search","arguments":"{\\"query\\":\\"execution\\"}"}'],
    [
      'a wrapped function',
      '{"type":"function","function":{"name":"context.fts_search","arguments":"{\\"query\\":\\"execution\\"}"}}',
    ],
    [
      'tool calls',
      '{"tool_calls":[{"function":{"name":"context.fts_search","arguments":{"query":"execution"}}}]}',
    ],
    ['a list', '[{"tool":"context.fts_search","args":{"query":"execution"}}]'],
    [
      'an envelope with empty fields',
      '{"action":"tool","tool_name":"context.fts_search","args":{"query":"execution"},"final":"","error":null}',
    ],
    ['a tool use', '{"type":"tool_use","name":"context.fts_search","input":{"query":"execution"}}'],
    ['an action object', '{"action":{"name":"context.fts_search","parameters":{"query":"execution"}}}'],
    ['single quotes', "{'action': 'tool', 'tool': 'context.fts_search', 'args': {'query': 'execution'}}"],
    [
      'bare keys and a last comma',
      '{action: "tool", tool: "context.fts_search", args: {query: "execution",},}',
    ],
    ['comments', '{/* now */ "tool": "context.fts_search", "args": {"query": "execution"} /* done */}'],
    [
      'a bracket forgotten inside a code block',
      '```json\n{"tool":"context.fts_search","args":{"query":"execution"}\n```',
    ],
  ])('may be written as %s', (_, text) => {
    expect(decodeJsonReply(text)).toMatchObject({
      calls: searchCalls,
      nextState: null,
      answer: null,
      problems: [],
    });
  });

  it('may contain several calls with ids', () => {
    const text =
      '{"calls":[{"id":"a","tool":"read_file","args":{"path":"x"}},{"id":"b","tool":"read_file","args":{"path":"y"}}]}';
    expect(decodeJsonReply(text).calls).toEqual([
      { id: 'a', tool: 'read_file', args: { path: 'x' } },
      { id: 'b', tool: 'read_file', args: { path: 'y' } },
    ]);
    expect(decodeJsonReply(text, { ...freeContext, callsMax: 1 })).toMatchObject({
      calls: [],
      problems: [{ problem: expect.any(String) }],
    });
  });

  it('passes on an unknown tool with a plausible name', () => {
    expect(decodeJsonReply('{"action":"context.lost","args":{}}').calls).toEqual([
      { tool: 'context.lost', args: {} },
    ]);
  });

  it.each([
    '{"action":"finish","final":"42"}',
    '{"action":"finish","args":{"answer":"42"}}',
    '{"action":"Final Answer","action_input":"42"}',
    '{"final_answer":"42","thought":"done"}',
    '{"action":"finish","result":42}',
    '{"action":"error","message":"42"}',
  ])('ends with an answer: %s', (text) => {
    expect(decodeJsonReply(text)).toMatchObject({ answer: '42', calls: [], problems: [] });
  });

  it('may have an answer that is JSON itself', () => {
    expect(decodeJsonReply('{"action":"finish","final":{"a":[1]}}').answer).toBe('{"a":[1]}');
  });

  it('may contain only reasoning', () => {
    expect(decodeJsonReply('{"action":"reason","reasoning":"Compare both."}')).toMatchObject({
      calls: [],
      answer: null,
      logs: { think: 'Compare both.' },
      problems: [],
    });
  });

  it('keeps strings that contain brackets, quotes and code blocks', () => {
    const path = 'a } ] " \\ { ``` \n```json\n{"tool":"x"}\n``` é \u{1F600}';
    expect(decodeJsonReply(`Now: ${JSON.stringify({ tool: 'read_file', args: { path } })} ok`).calls).toEqual(
      [{ tool: 'read_file', args: { path } }],
    );
  });

  it('keeps a string with unescaped quotes', () => {
    expect(decodeReadCall('say "hi" now').calls).toEqual([
      { tool: 'read_file', args: { path: 'say "hi" now' } },
    ]);
    expect(decodeReadCall('say "a } b" now').calls).toEqual([
      { tool: 'read_file', args: { path: 'say "a } b" now' } },
    ]);
    const single = "{'tool': 'read_file', 'args': {'path': 'a } b'}}";
    expect(decodeJsonReply(single).calls).toEqual([{ tool: 'read_file', args: { path: 'a } b' } }]);
    // Where it cannot tell, it refuses rather than take a part of the string for the whole.
    for (const path of [
      'say "hi}" now',
      'x {"a"}} now',
      'x {"a"}}',
      'a", "b',
      'x "a"}} now',
      'log("a", "b");',
    ]) {
      expect(decodeReadCall(path)).toMatchObject({
        calls: [],
        problems: [{ problem: 'the JSON is invalid' }],
      });
    }
  });
});

describe('the JSON envelope of the librarian', () => {
  const thinking = '{"agent":{"next_state":"executing","thinking_log":"Enough."}}';
  const saving =
    '{"agent":{"action":{"type":"storage_save","tags":"story_plot_chapter1","value":"A letter."}}}';

  it('decodes like the XML, whatever surrounds either [RL-01]', () => {
    const pairs = [
      [thinking, '<agent><next_state>executing</next_state><thinking_log>Enough.</thinking_log></agent>'],
      [
        saving,
        '<agent><action><type>storage_save</type><tags>story_plot_chapter1</tags><value>A letter.</value></action></agent>',
      ],
    ] as const;
    for (const [json, xml] of pairs) {
      const plain = xmlCodec.decode(createReply(xml), lkj1Context);
      expect(plain.problems).toEqual([]);
      expect(decodeJsonReply(json, lkj1Context)).toEqual(plain);
      expect(decodeJsonReply(`Well:\n${json}\nSo.`, lkj1Context)).toEqual({ ...plain, text: 'Well:\nSo.' });
      expect(xmlCodec.decode(createReply(`Well:\n${xml}\nSo.`), lkj1Context)).toEqual({
        ...plain,
        text: 'Well:\nSo.',
      });
    }
    expect(xmlCodec.encode(decodeJsonReply(saving, lkj1Context), lkj1Context).text).toMatch(/^<agent>/);
  });

  it.each([
    [
      'working_memory_add',
      { tags: 'character_alice_personality', value: 'adventurous, nature-loving, 25 years old' },
    ],
    ['working_memory_remove', { tags: 'character_bob_old_description' }],
    ['storage_load', { tags: 'character_alice_background' }],
    [
      'storage_save',
      { tags: 'story_plot_chapter1', value: 'Alice discovers mysterious letter in grandmother’s attic' },
    ],
  ])('asks for %s, also without its outer object', (type, args) => {
    const text = JSON.stringify({ action: { type, ...args } }, null, 2);
    expect(decodeJsonReply(text, lkj1Context)).toMatchObject({ calls: [{ tool: type, args }], problems: [] });
    expect(decodeJsonReply(`{"agent":${text}}`, lkjContext).calls).toEqual([{ tool: type, args }]);
  });

  it('accepts camel case and both log names, and prefers the action', () => {
    expect(
      decodeJsonReply('{"nextState":" evaluating ","thinkLog":"x","evaluation_log":"y"}', lkjContext),
    ).toMatchObject({
      nextState: 'evaluating',
      logs: { think: 'x', evaluation: 'y' },
    });
    expect(
      decodeJsonReply('{"next_state":"thinking","action":{"type":"storage_load","tags":"a"}}', lkjContext),
    ).toMatchObject({
      calls: [{ tool: 'storage_load', args: { tags: 'a' } }],
      nextState: null,
    });
  });
});

describe('an invalid reply in JSON:', () => {
  it.each([
    ['prose', 'The moon is waxing.', 'no JSON object'],
    ['JSON that is about something else', 'See {"weather": "fine"}.', 'no JSON object'],
    ['a call that breaks off in a string', '{"tool":"read_file","args":{"path":"a', 'cut off'],
    ['a call that breaks off after a value', '{"tool":"read_file","args":{"path":"a"}', 'cut off'],
    ['a list that breaks off', '[{"tool":"read_file","args":{"path":"a"}}, {"tool":"read', 'cut off'],
    ['a code block that breaks off', '```json\n{"tool":"read_file","args":{"path":"a\n```', 'cut off'],
    ['what cannot be repaired', '{"tool": read "file" : : , "args" }', 'is invalid'],
    ['an argument without a value', '{"tool":"read_file","args":{"path":}}', 'is invalid'],
    ['arguments with dots for the rest', '{"tool":"read_file","args":{"path":"a", ...}}', 'is invalid'],
    ['an unknown action', '{"action":"dance"}', 'no action "dance"'],
    ['arguments beside the call', '{"tool":"read_file","path":"a"}', 'next to the call'],
    [
      'arguments beside the call that go by a common name',
      '{"tool":"read_file","message":"hi"}',
      'next to the call',
    ],
    ['arguments that are no object', '{"tool":"read_file","args":[1]}', 'not a JSON object'],
    ['arguments that are prose', '{"tool":"read_file","args":"the file a"}', 'not a JSON object'],
    ['arguments in a string that break off', '{"tool":"read_file","args":"{\\"path\\":\\"a"}', 'cut off'],
    ['no tool', '{"action":"tool","args":{}}', 'name a tool'],
    ['no answer', '{"action":"finish"}', 'answer is missing'],
    ['an empty agent', '{"agent":{}}', 'contains no action'],
    ['a list with something else in it', '[{"tool":"read_file","args":{}}, 5]', 'not an object'],
    ['a number too large', '{"tool":"read_file","args":{"first":1e999}}', 'JSON does not allow'],
  ])('%s', (_, text, what) => {
    const { calls, nextState, answer, problems } = decodeJsonReply(text);
    expect({ calls, nextState, answer }).toEqual({ calls: [], nextState: null, answer: null });
    expect(problems.map((problem) => problem.problem).join('; ')).toContain(what);
  });

  it('runs none of the calls if one of them is invalid', () => {
    expect(
      decodeJsonReply('{"calls":[{"tool":"read_file","args":{"path":"a"}},{"tool":"read_file","args":7}]}'),
    ).toMatchObject({
      calls: [],
      problems: [{ location: 'call 2 of 2' }],
    });
  });

  it('treats inherited property names like any other name', () => {
    const text =
      '{"tool":"read_file","args":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}';
    const [first] = decodeJsonReply(text).calls;
    expect(JSON.stringify(first?.args)).toBe(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    );
    expect(Object.getPrototypeOf(first?.args)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(decodeJsonReply('{"__proto__":{"tool":"read_file","args":{}}}').calls).toEqual([]);
    expect(decodeJsonReply('{"action":"constructor"}').problems[0]?.problem).toContain('no action');
  });
});
