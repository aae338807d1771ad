import { describe, expect, it } from 'vitest';
import { explainProblems } from '../../src/protocols/decision.ts';
import { jsonCodec } from '../../src/protocols/json.ts';
import { nativeCodec } from '../../src/protocols/native.ts';
import { xmlCodec } from '../../src/protocols/xml.ts';
import { freeContext, lkjContext, lkj1Context, createReply } from './contexts.ts';

describe('the feedback for an invalid reply', () => {
  it('names the problems and shows a valid reply', () => {
    const { problems } = xmlCodec.decode(
      createReply('<agent><action><type>storage_lod</type></action></agent>'),
      lkjContext,
    );
    expect(explainProblems(problems, xmlCodec, lkjContext)).toBe(
      [
        'Your reply is invalid, and nothing in it was executed.',
        '- In <type>: there is no action "storage_lod". The actions are: working_memory_add, working_memory_remove, ' +
          'storage_load, storage_save. Did you mean storage_load?',
        'A valid reply looks like this:',
        '<agent>',
        '<action>',
        '<type>working_memory_add</type>',
        '<tags>text</tags>',
        '<value>text</value>',
        '</action>',
        '</agent>',
      ].join('\n'),
    );
  });

  it('stays short with any number of problems', () => {
    const { problems } = xmlCodec.decode(
      createReply(`<agent>${'</value>'.repeat(1000)}</agent>`),
      lkjContext,
    );
    const answer = explainProblems(problems, xmlCodec, lkjContext);
    expect(answer).toContain('more problems');
    expect(answer.length).toBeLessThan(1_500);
  });

  it('does not repeat control characters or lone surrogates of the reply', () => {
    const { problems } = xmlCodec.decode(
      createReply('<action><type>\u001b[2J\ud800\n</type></action>'),
      lkjContext,
    );
    const answer = explainProblems(problems, xmlCodec, lkjContext);
    expect(answer).not.toContain('\u001b');
    expect(answer.isWellFormed()).toBe(true);
  });

  it('has an example that the same protocol decodes without a problem', () => {
    for (const codec of [xmlCodec, jsonCodec]) {
      for (const context of [
        lkjContext,
        lkj1Context,
        freeContext,
        { ...lkj1Context, tools: [] },
        { ...lkjContext, states: [], logs: [] },
      ]) {
        expect(codec.decode(createReply(codec.example(context)), context).problems).toEqual([]);
      }
    }
    expect(jsonCodec.example({ ...freeContext, tools: [] })).toContain('finish');
    expect(nativeCodec.example(freeContext)).toContain('read_file');
    expect(nativeCodec.example({ ...freeContext, tools: [] })).toContain('plain text');
  });
});

describe('an example', () => {
  it('matches the schema of the tool, whatever its parameter names', () => {
    const properties = {
      kind: { enum: ['b', 'a'] },
      size: { type: 'integer', minimum: 7 },
      list: { type: 'array', items: { type: 'boolean' } },
    };
    const parameters = { type: 'object', properties, required: ['kind', 'size', 'list', 'constructor'] };
    const tool = { name: 'odd', description: 'Odd.', parameters };
    expect(JSON.parse(jsonCodec.example({ ...freeContext, tools: [tool] }))).toMatchObject({
      args: { kind: 'b', size: 7, list: [true], constructor: 'text' },
    });
  });
});

describe('the instructions', () => {
  it('ask for XML with an agent element and list what the state allows [LKJ1-26, LKJ1-27]', () => {
    const thinking = xmlCodec.instructions({ ...lkj1Context, tools: [] });
    expect(thinking).toContain('valid XML');
    for (const word of ['<agent>', '<next_state>', 'thinking, executing', '<thinking_log>']) {
      expect(thinking).toContain(word);
    }
    expect(thinking).not.toContain('<action>');
    const executing = xmlCodec.instructions({ ...lkj1Context, states: [], logs: [] });
    expect(executing).toContain('one <action>');
    for (const word of ['<agent>', '<type>', 'tags (string)']) expect(executing).toContain(word);
    for (const { name } of lkj1Context.tools) expect(executing).toContain(name);
    expect(executing).toContain('value (string, optional)');
    expect(executing).not.toContain('<next_state>');
  });

  it('ask for one JSON object, with the tools and how to end', () => {
    const text = jsonCodec.instructions(freeContext);
    for (const word of [
      'one JSON object',
      'read_file',
      'path (string): Which file.',
      '"finish"',
      '"calls"',
    ]) {
      expect(text).toContain(word);
    }
    expect(jsonCodec.instructions(lkjContext)).not.toContain('"calls"');
    expect(jsonCodec.instructions(lkjContext)).toContain('thinking, commanding, evaluating');
  });

  it('of native calls mention tools only if there are any', () => {
    expect(nativeCodec.instructions(freeContext)).toContain('tool calls');
    expect(nativeCodec.instructions({ ...freeContext, tools: [] })).not.toContain('tool');
  });
});
