import { describe, expect, it } from 'vitest';
import type { ToolMessage } from '@pawl/core';
import { nativeCodec } from '../../src/protocols/native.ts';
import { freeContext, createReply } from './contexts.ts';

const decodeNativeCall = (args: string) =>
  nativeCodec.decode(createReply('', [{ id: '1', tool: 'read_file', args }]), freeContext);

const createToolMessage = (outcome: ToolMessage['outcome']): ToolMessage => {
  return { role: 'tool', at: 0, callId: '1', tool: 'read_file', outcome };
};

describe('native tool calls', () => {
  it('pass unchanged', () => {
    const calls = [{ id: '1', tool: 'read_file', args: { path: 'a' }, permission: 'ask' as const }];
    expect(nativeCodec.decode(createReply(' Reading. ', calls), freeContext)).toMatchObject({
      text: 'Reading.',
      calls,
      answer: null,
      problems: [],
    });
  });

  it.each([
    ['{"path":"a"}', { path: 'a' }],
    ['"{\\"path\\":\\"a\\"}"', { path: 'a' }],
    ["{'path': 'a',}", { path: 'a' }],
    ['', {}],
  ])('have their arguments read from %s', (text, args) => {
    expect(decodeNativeCall(text)).toMatchObject({
      calls: [{ id: '1', tool: 'read_file', args }],
      problems: [],
    });
  });

  it.each([
    '{"path":"a',
    '{"path":"a"',
    'a',
    '[1]',
    '7',
    '{"path":"a"} and {"path":"b"}',
    '{"n":1e999}',
    "{'path':'a'}}",
  ])('are not made with the arguments %s', (text) => {
    const { calls, problems } = decodeNativeCall(text);
    expect(calls).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.problem).toContain('read_file');
  });

  it('are rejected without a tool name', () => {
    expect(nativeCodec.decode(createReply('', [{ tool: ' ', args: {} }]), freeContext).problems).toHaveLength(
      1,
    );
  });

  it('treat prose without a call as the answer, without leading reasoning', () => {
    expect(nativeCodec.decode(createReply('<think>hm</think> It is 42.'), freeContext)).toMatchObject({
      answer: 'It is 42.',
      logs: { think: 'hm' },
      problems: [],
    });
    expect(nativeCodec.decode(createReply('<think>It is 42.'), freeContext).answer).toBe('<think>It is 42.');
    expect(nativeCodec.decode(createReply('  '), freeContext).problems).toHaveLength(1);
  });

  it('have results formatted as text', () => {
    const failed = { ok: false, error: { kind: 'failed', message: 'no such file' } } as const;
    expect(
      nativeCodec.observe([createToolMessage({ ok: true, output: { lines: 2 } }), createToolMessage(failed)]),
    ).toBe('{"lines":2}\n\nError: no such file');
  });
});
