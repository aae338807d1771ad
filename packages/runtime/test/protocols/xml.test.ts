import { describe, expect, it } from 'vitest';
import { xmlCodec } from '../../src/protocols/xml.ts';
import { freeContext, lkjContext, lkj1Context, createReply } from './contexts.ts';

const decodeXmlReply = (text: string, context = lkjContext) => xmlCodec.decode(createReply(text), context);

const formatReadAction = (path: string) => `<action><type>read_file</type><path>${path}</path></action>`;
const formatSaveAction = (rest: string) => `<agent><action><type>storage_save</type><tags>a</tags>${rest}`;
const decodeTypedAction = (type: string) =>
  decodeXmlReply(`<action type="${type}" tags="a" value="b"/>`, lkj1Context);
const decodeWithoutValue = (type: string) =>
  decodeXmlReply(`<agent><action><type>${type}</type><tags>a</tags></action></agent>`, lkj1Context);

describe('a reply in XML', () => {
  it('has a next state and a thinking log while thinking [LKJ1-04, LKJ1-36]', () => {
    for (const state of ['thinking', 'executing']) {
      const text = `<agent><next_state>${state}</next_state><thinking_log>First look.</thinking_log></agent>`;
      expect(decodeXmlReply(text, lkj1Context)).toEqual({
        kind: 'thought',
        text: '',
        calls: [],
        nextState: state,
        logs: { think: 'First look.', evaluation: null },
        answer: null,
        problems: [],
        isProtocolReply: true,
      });
    }
  });

  it('may name any of the three states of the second version, with or without a log [LKJ2-04, LKJ2-05]', () => {
    for (const state of ['thinking', 'commanding', 'evaluating']) {
      const alone = decodeXmlReply(`<agent><next_state>${state}</next_state></agent>`);
      const noted = decodeXmlReply(
        `<agent><next_state>${state}</next_state><think_log>So.</think_log></agent>`,
      );
      expect(alone).toMatchObject({ nextState: state, logs: { think: null }, problems: [] });
      expect(noted).toMatchObject({ nextState: state, logs: { think: 'So.' }, problems: [] });
    }
  });

  it('may have a next state and an evaluation log [LKJ2-11]', () => {
    const text =
      '<agent><next_state>thinking</next_state><evaluation_log>It worked.</evaluation_log></agent>';
    expect(decodeXmlReply(text)).toMatchObject({
      nextState: 'thinking',
      logs: { evaluation: 'It worked.' },
      problems: [],
    });
    expect(decodeXmlReply('<agent><next_state>thinking</next_state></agent>').problems).toEqual([]);
  });

  it('has one action with type, tags and value [LKJ1-09, LKJ1-40]', () => {
    const text = `<agent><action><type>working_memory_add</type><tags>moon_phase</tags><value>waxing</value></action></agent>`;
    const { calls, problems } = decodeXmlReply(text, lkj1Context);
    expect(problems).toEqual([]);
    expect(calls).toEqual([{ tool: 'working_memory_add', args: { tags: 'moon_phase', value: 'waxing' } }]);
  });

  it('may omit the value of an action that does not need one [LKJ2-07]', () => {
    const text = '<agent><action><type>storage_load</type><tags>moon phase</tags></action></agent>';
    expect(decodeXmlReply(text).calls).toEqual([{ tool: 'storage_load', args: { tags: 'moon phase' } }]);
    const whole = '<agent><action><type>storage_save</type><tags>a</tags><value>b</value></action></agent>';
    expect(decodeXmlReply(whole).calls).toEqual([{ tool: 'storage_save', args: { tags: 'a', value: 'b' } }]);
  });

  it.each([
    ['working_memory_add', 'character_alice_personality', 'adventurous, nature-loving, 25 years old'],
    ['working_memory_remove', 'character_bob_old_description', null],
    ['storage_load', 'character_alice_background', null],
    ['storage_save', 'story_plot_chapter1', "Alice discovers mysterious letter in grandmother's attic"],
  ])('asks for %s of %s', (type, tags, value) => {
    const element = value === null ? '' : `<value>${value}</value>`;
    const { calls } = decodeXmlReply(
      `<agent><action><type>${type}</type><tags>${tags}</tags>${element}</action></agent>`,
      lkj1Context,
    );
    expect(calls).toEqual([{ tool: type, args: value === null ? { tags } : { tags, value } }]);
  });

  it('executes the action and ignores the next state next to it [LKJ2-16]', () => {
    const action = '<action><type>storage_load</type><tags>a</tags></action>';
    const text = `<agent><next_state>thinking</next_state><think_log>x</think_log>${action}</agent>`;
    for (const context of [lkjContext, lkj1Context]) {
      expect(decodeXmlReply(text, context)).toMatchObject({
        calls: [{ tool: 'storage_load', args: { tags: 'a' } }],
        nextState: null,
        logs: { think: 'x' },
        problems: [],
      });
    }
  });

  it('accepts both spellings of every log in both profiles, and each profile writes its own [RL-12]', () => {
    const decoded = { ...decodeXmlReply('<agent><think_log>n</think_log></agent>') };
    for (const name of ['think_log', 'thinking_log', 'thinkLog', 'ThinkingLog', 'THINK_LOG', 'think-log']) {
      for (const context of [lkjContext, lkj1Context]) {
        expect(decodeXmlReply(`<agent><${name}>n</${name}></agent>`, context).logs.think).toBe('n');
      }
    }
    expect(xmlCodec.encode(decoded, lkjContext).text).toContain('<think_log>n</think_log>');
    expect(xmlCodec.encode(decoded, lkj1Context).text).toContain('<thinking_log>n</thinking_log>');
    expect(xmlCodec.instructions(lkjContext)).toMatch(/commanding.*\n.*<think_log>/);
    expect(xmlCodec.instructions(lkj1Context)).toMatch(/executing.*\n.*<thinking_log>/);
    for (const state of ['executing', 'commanding']) {
      expect(decodeXmlReply(`<agent><next_state>${state}</next_state></agent>`, lkj1Context).nextState).toBe(
        state,
      );
      expect(decodeXmlReply(`<agent><next_state>${state}</next_state></agent>`, lkjContext).nextState).toBe(
        state,
      );
    }
  });

  it('may omit the next state', () => {
    expect(decodeXmlReply('<agent><think_log>Not yet.</think_log></agent>')).toMatchObject({
      nextState: null,
      problems: [],
    });
  });

  it('trims state, type and tags, and keeps a value verbatim', () => {
    expect(decodeXmlReply('<agent><next_state>\n  thinking \n</next_state></agent>').nextState).toBe(
      'thinking',
    );
    const text = `<agent><action>
      <type> storage_save </type>
      <tags>
        a b
      </tags>
      <value>
  if (a < b && c > d) { return \`<b>\${x}</b>\`; }

</value>
    </action></agent>`;
    expect(decodeXmlReply(text).calls[0]?.args).toEqual({
      tags: 'a b',
      value: '  if (a < b && c > d) { return `<b>${x}</b>`; }\n',
    });
  });
});

describe('XML variants that models write', () => {
  const load = [{ tool: 'storage_load', args: { tags: 'a' } }];

  it.each([
    ['attributes', '<agent><action type="storage_load" tags=\'a\'/></agent>'],
    ['attributes on an open element', '<agent><action type="storage_load" tags="a"></action></agent>'],
    [
      'an element that wins over an attribute',
      '<agent><action type="x"><type>storage_load</type><tags>a</tags></action></agent>',
    ],
    ['capitals', '<AGENT><Action><TYPE>storage_load</TYPE><Tags>a</Tags></Action></AGENT>'],
    [
      'a code block',
      'Here:\n```xml\n<agent><action><type>storage_load</type><tags>a</tags></action></agent>\n```\nDone.',
    ],
    ['no agent element', '<action><type>storage_load</type><tags>a</tags></action>'],
    [
      'comments',
      '<agent><!-- <action><type>no</type></action> --><action><!-- x --><type>storage_load</type><tags>a</tags></action></agent>',
    ],
    [
      'CDATA',
      '<agent><action><type><![CDATA[storage_load]]></type><tags> <![CDATA[a]]> </tags></action></agent>',
    ],
    ['an agent element left open', '<agent><action><type>storage_load</type><tags>a</tags></action>'],
    ['an action left open', '<agent><action><type>storage_load</type><tags>a</tags></agent>'],
    ['elements left open', '<agent><action><type>storage_load<tags>a</action></agent>'],
    [
      'a declaration in front',
      '<?xml version="1.0"?>\n<agent><action><type>storage_load</type><tags>a</tags></action></agent>',
    ],
    [
      'reasoning in front',
      '<think>maybe <agent><next_state>x</next_state></agent></think><agent><action><type>storage_load</type><tags>a</tags></action></agent>',
    ],
    [
      'an empty action beside it',
      '<agent><action/><action></action><action><type>storage_load</type><tags>a</tags></action></agent>',
    ],
    ['space inside tags', '<agent ><action\n><type >storage_load</type ><tags>a</tags\n></action></agent>'],
    [
      'an agent element named in prose',
      'I will send an <agent> now: <agent><action><type>storage_load</type><tags>a</tags></action></agent>',
    ],
    [
      'an empty agent element first',
      '<agent></agent><agent><action><type>storage_load</type><tags>a</tags></action></agent>',
    ],
    [
      'a document type that is ignored',
      '<!DOCTYPE a [<!ENTITY b "c">]><agent><action><type>storage_load</type><tags>a</tags></action></agent>',
    ],
  ])('are read: %s', (_, text) => {
    const { calls, problems } = decodeXmlReply(text);
    expect(problems).toEqual([]);
    expect(calls).toEqual(load);
  });

  it('reads the first non-empty agent element and treats the others as text', () => {
    const text =
      '<agent><next_state>thinking</next_state></agent> then <agent><next_state>commanding</next_state></agent>';
    expect(decodeXmlReply(text)).toMatchObject({ nextState: 'thinking', problems: [] });
    expect(decodeXmlReply(text).text).toContain('then');
  });

  it('does not let an unclosed element end in the next one', () => {
    const states = '<agent><next_state>thinking</agent><agent><next_state>commanding</next_state></agent>';
    expect(decodeXmlReply(states)).toMatchObject({ nextState: 'thinking', problems: [] });
    const actions = `<agent>${formatReadAction('a').replace('</path>', '')}${formatReadAction('b')}</agent>`;
    expect(decodeXmlReply(actions, freeContext).calls.map(({ args }) => args)).toEqual([
      { path: 'a' },
      { path: 'b' },
    ]);
  });

  it('keeps the prose around the element and drops its code fence', () => {
    expect(
      decodeXmlReply('Well.\n```xml\n<agent><next_state>thinking</next_state></agent>\n```\nBye.').text,
    ).toBe('Well.\nBye.');
  });

  it('allows a note to mention actions', () => {
    const text =
      '<agent><think_log>An <action> with <type> comes next.</think_log><next_state>commanding</next_state></agent>';
    expect(decodeXmlReply(text)).toMatchObject({
      nextState: 'commanding',
      calls: [],
      logs: { think: 'An <action> with <type> comes next.' },
      problems: [],
    });
  });

  it('resolves the five entities and numeric references once, and nothing else', () => {
    const value =
      '&lt;&gt;&amp;&quot;&apos;&#65;&#x42; &amp;lt; &nbsp; &bomb; &#xD800; &#0; &#99999999; & && &lt';
    const text = `<agent><action><type>storage_save</type><tags>a</tags><value>${value}</value></action></agent>`;
    expect(decodeXmlReply(text).calls[0]?.args).toMatchObject({
      value: '<>&"\'AB &lt; &nbsp; &bomb; &#xD800; &#0; &#99999999; & && &lt',
    });
  });

  it('keeps CDATA verbatim', () => {
    const text = `<agent><action><type>storage_save</type><tags>a</tags><value>
      <![CDATA[ </value></action> &lt; ]]>
    </value></action></agent>`;
    expect(decodeXmlReply(text).calls[0]?.args).toMatchObject({ value: ' </value></action> &lt; ' });
  });

  it("converts text to the types of the tool's schema", () => {
    const text = `<action><type>read_file</type><path>a.ts</path><first> 12 </first><is_raw>TRUE</is_raw>
      <labels>x, y</labels><options>{"deep": [1]}</options></action>`;
    const { calls, problems } = decodeXmlReply(text, freeContext);
    expect(problems).toEqual([]);
    expect(calls).toEqual([
      {
        tool: 'read_file',
        args: { path: 'a.ts', first: 12, isRaw: true, labels: ['x', 'y'], options: { deep: [1] } },
      },
    ]);
    expect(
      decodeXmlReply('<action><type>read_file</type><path>a</path><first>soon</first></action>', freeContext)
        .problems,
    ).toHaveLength(1);
  });

  it('allows several actions where the context does', () => {
    const { calls } = decodeXmlReply(
      `<agent>${formatReadAction('a')}${formatReadAction('b')}</agent>`,
      freeContext,
    );
    expect(calls.map(({ args }) => args)).toEqual([{ path: 'a' }, { path: 'b' }]);
  });
});

describe('an invalid reply in XML', () => {
  it.each([
    ['plain prose', 'The moon is waxing.', 'no <agent>'],
    ['nothing', '', 'no <agent>'],
    ['an empty agent element', '<agent></agent>', 'contains no action'],
    ['an action without a type', '<agent><action><tags>a</tags></action></agent>', 'no type'],
    [
      'an unknown type',
      '<agent><action><type>storage_lod</type><tags>a</tags></action></agent>',
      'no action "storage_lod"',
    ],
    [
      'the beginning of a type',
      '<agent><action><type>storage</type><tags>a</tags></action></agent>',
      'no action "storage"',
    ],
    ['no tags', '<agent><action><type>storage_load</type></action></agent>', 'needs tags'],
    [
      'no value',
      '<agent><action><type>working_memory_add</type><tags>a</tags></action></agent>',
      'needs value',
    ],
    ['a value that breaks off', formatSaveAction('<value>half of the te'), 'ends before the action'],
    ['an action that breaks off', formatSaveAction(''), 'ends before the action'],
    [
      'CDATA that breaks off',
      formatSaveAction('<value><![CDATA[half</value></action></agent>'),
      'ends before the action',
    ],
    ['a tag that breaks off', '<agent><action><type>storage_save</type><tags>a</tags><value', 'incomplete'],
    [
      'a value with its own end in it',
      formatSaveAction('<value>a </value> b</value></action></agent>'),
      'belongs to no parameter',
    ],
    [
      'a value with an action in it',
      formatSaveAction('<value>a </action> b</value></action></agent>'),
      'closes nothing',
    ],
    [
      'an unknown parameter',
      formatSaveAction('<content>x</content></action></agent>'),
      'belongs to no parameter',
    ],
    [
      'a parameter of another tool',
      formatSaveAction('<next_state>x</next_state></action></agent>'),
      'no parameter "nextstate"',
    ],
    [
      'a parameter given twice',
      formatSaveAction('<value>a</value><value>b</value></action></agent>'),
      'given twice',
    ],
    ['loose text', formatSaveAction('so <value>a</value></action></agent>'), 'belongs to no parameter'],
    ['the end of a value that never began', formatSaveAction('</value></action></agent>'), 'closes nothing'],
    ['loose CDATA', formatSaveAction('<![CDATA[b]]></action></agent>'), 'belongs to no parameter'],
    [
      'a < in an attribute',
      '<agent><action type="storage_save" tags="a" value="a < b"/></agent>',
      'invalid attribute',
    ],
    [
      'an action without its element',
      '<agent><type>storage_load</type><tags>a</tags></agent>',
      'outside <action>',
    ],
  ])('%s', (_, text, what) => {
    const { calls, nextState, answer, problems } = decodeXmlReply(text);
    expect({ calls, nextState, answer }).toEqual({ calls: [], nextState: null, answer: null });
    expect(problems.map((problem) => problem.problem).join('; ')).toContain(what);
  });

  it('names an unknown action [LKJ1-41]', () => {
    for (const { name } of lkj1Context.tools)
      expect(decodeTypedAction(name)).toMatchObject({ calls: [{ tool: name }], problems: [] });
    for (const type of ['storage', 'STORAGE_LOAD', 'storage_load2', 'toString', '__proto__', 'finish']) {
      expect(decodeTypedAction(type).problems).toHaveLength(1);
    }
    expect(decodeTypedAction('storage_lod').problems[0]?.hint).toContain('Did you mean storage_load?');
  });

  it('lacks tags, whatever the action [LKJ1-42]', () => {
    for (const { name } of lkj1Context.tools) {
      const { calls, problems } = decodeXmlReply(
        `<agent><action><type>${name}</type><value>b</value></action></agent>`,
        lkj1Context,
      );
      expect(calls).toEqual([]);
      expect(problems.map(({ problem }) => problem)).toEqual([`${name} needs tags`]);
    }
  });

  it('lacks the value that adding requires and other actions do not', () => {
    expect(decodeWithoutValue('working_memory_add').problems).toHaveLength(1);
    expect(decodeWithoutValue('working_memory_remove').problems).toEqual([]);
    expect(decodeWithoutValue('storage_load').problems).toEqual([]);
  });

  it('has more than one action where one is allowed [RX-09]', () => {
    const action = '<action><type>storage_load</type><tags>a</tags></action>';
    for (const context of [lkjContext, lkj1Context]) {
      const { calls, problems } = decodeXmlReply(`<agent>${action}${action}</agent>`, context);
      expect(calls).toEqual([]);
      expect(problems[0]?.problem).toContain('2 actions');
      expect(decodeXmlReply(`<agent>${action}</agent>`, context).calls).toHaveLength(1);
    }
    const read = '<action><type>read_file</type><path>a</path></action>';
    expect(decodeXmlReply(`<agent>${read}${read}</agent>`, freeContext).calls).toHaveLength(2);
  });
});
