import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Json, ConversationMessage } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildPrompt } from '../../../src/models/providers/ai-sdk-prompt.ts';
import { createAttachmentCache, createWireNames } from '../../../src/models/providers/ai-sdk-parts.ts';
import type { ModelRequest } from '../../../src/models/model.ts';
import { createMessagesRequest, readToolDescription, collectModelReply } from './collect-stream.ts';
import { sendEvents, startTestServer } from '../../../../../scripts/testing/test-server.ts';
import { wireFormats } from './wire-formats.ts';
import { codePoint } from '../../../../core/test/helpers/code-point.ts';

const buildTestPrompt = (request: ModelRequest): LanguageModelV4Prompt =>
  buildPrompt(request, { names: createWireNames(request.tools), attachments: createAttachmentCache() });

const createNamedTool = (name: string) => ({ ...readToolDescription, name });
const createUserMessage = (text: string): ConversationMessage => ({ role: 'user', at: 0, text });
const createAssistantMessage = (
  text: string,
  ...calls: readonly [string, string, Json][]
): ConversationMessage => ({
  role: 'assistant',
  at: 0,
  text,
  calls: calls.map(([id, tool, args]) => ({ id, tool, args })),
});
const createToolMessage = (callId: string, output: Json, tool = 'read'): ConversationMessage => ({
  role: 'tool',
  at: 0,
  callId,
  tool,
  outcome: { ok: true, output },
});

describe('the prompt', () => {
  it('is valid for providers, whatever the conversation', () => {
    const rounds = fc.array(arbitraryRound(), { maxLength: 8 });
    fc.assert(
      fc.property(rounds, arbitraryText(), fc.option(arbitraryText()), (messages, system, advice) => {
        const prompt = buildTestPrompt(createMessagesRequest(messages.flat(), { system, advice }));
        const talk = prompt.filter(({ role }) => role !== 'system');
        expect(prompt.slice(-talk.length)).toEqual(talk);
        const roles = talk.map(({ role }) => role);
        expect(roles.length).toBeGreaterThan(0);
        expect(roles.at(-1)).not.toBe('assistant');
        expect(roles.join()).not.toMatch(/user,user|tool,tool/);
        expect(listPromptTexts(prompt).filter((text) => text.trim() === '')).toEqual([]);
        expect(JSON.stringify(prompt)).not.toMatch(/\\ud[89a-f]/i);
      }),
    );
  });

  it('has one result for each call, in order, with ids and names that providers accept', () => {
    fc.assert(
      fc.property(fc.array(arbitraryRound(), { maxLength: 8 }), (messages) => {
        const parts = listPromptParts(buildTestPrompt(createMessagesRequest(messages.flat())));
        const calls = parts.filter((part) => part.type === 'tool-call');
        const results = parts.filter((part) => part.type === 'tool-result');
        const ids = calls.map(({ toolCallId }) => toolCallId);
        expect(results.map(({ toolCallId }) => toolCallId)).toEqual(ids);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
        for (const { toolName, input } of calls) {
          expect(toolName).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
          expect(Object.prototype.toString.call(input)).toBe('[object Object]');
        }
      }),
    );
  });

  it('keeps the arguments of a call, including `__proto__`', () => {
    const args = JSON.parse('{"__proto__": {"a": 1}, "b": [null, "\\ud800x"]}') as Json;
    const [, assistant] = buildTestPrompt(
      createMessagesRequest([
        createUserMessage('Go.'),
        createAssistantMessage('', ['a', 'read', args]),
        createToolMessage('a', 'Ok.'),
      ]),
    );
    expect(JSON.stringify(assistant)).toContain('"input":{"__proto__":{"a":1},"b":[null,"\uFFFDx"]}');
  });

  it('replaces a duplicate call id, also in its result', () => {
    const twice = ['One.', 'Two.'].flatMap((output) => [
      createAssistantMessage('', ['0', 'read', {}]),
      createToolMessage('0', output),
    ]);
    const ids = buildTestPrompt(createMessagesRequest([createUserMessage('Go.'), ...twice])).flatMap(
      (message) =>
        message.role === 'assistant' || message.role === 'tool'
          ? message.content.map((part) => ('toolCallId' in part ? part.toolCallId : ''))
          : [],
    );
    expect(ids).toEqual(['0', '0', 'call_2', 'call_2']);
  });

  it('appends the state or advice to the last user message without storing it', () => {
    const request = createMessagesRequest([createUserMessage('Go.')], { state: 'You are here.' });
    expect(buildTestPrompt(request)).toMatchObject([{ content: [{ text: 'Go.\n\nYou are here.' }] }]);
    expect(buildTestPrompt({ ...request, state: null })).toMatchObject([{ content: [{ text: 'Go.' }] }]);
  });

  it('sets Anthropic cache breakpoints on stored messages, not on the appended text', () => {
    const talk = [
      createUserMessage('Go.'),
      createAssistantMessage('', ['a', 'read', {}]),
      createToolMessage('a', 'Ok.'),
    ];
    const prompt = buildTestPrompt(createMessagesRequest(talk, { system: 'Be brief.', advice: 'Stop.' }));
    const marked = prompt.map(({ role, providerOptions }) => [role, providerOptions !== undefined]);
    expect(marked).toEqual([
      ['system', true],
      ['user', false],
      ['assistant', false],
      ['tool', true],
      ['user', false],
    ]);
  });
});

describe('tool names', () => {
  it('are converted to valid characters for the provider and back', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: codePoint, maxLength: 90 })), (given) => {
        const names = createWireNames(given.map(createNamedTool));
        const sent = given.map((name) => names.toWire(name));
        expect(new Set(sent).size).toBe(given.length);
        for (const name of sent) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
        expect(sent.map((name) => names.fromWire(name))).toEqual(given);
      }),
    );
  });

  it('stay unchanged if they are valid', () => {
    const names = createWireNames(['notes/read', 'notes_read'].map(createNamedTool));
    expect(names.toWire('notes_read')).toBe('notes_read');
    expect(names.toWire('notes/read')).toBe('notes_read_2');
    expect(names.fromWire('unheard_of')).toBe('unheard_of');
  });
});

describe.each(wireFormats.filter(({ name }) => ['openai', 'anthropic', 'google'].includes(name)))(
  'what $name signs',
  ({ open, events }) => {
    it('is sent back with the call and is not part of the reply', async () => {
      const calls = [{ id: 'call_a', tool: 'read', input: '{"path":"a.md"}' }];
      const reply = events({ reasoning: 'I should look.', calls });
      const { url, received } = await startTestServer((response) => sendEvents(response, reply));
      const model = await open(url);
      const { calls: asked, ...text } = await collectModelReply(model);
      expect(JSON.stringify(text)).not.toContain('signed-thought');
      const id = asked[0]?.id ?? '';
      const talk = [
        createUserMessage('Go.'),
        createAssistantMessage('', [id, 'read', { path: 'a.md' }]),
        createToolMessage(id, 'Apples.'),
      ];
      await collectModelReply(model, createMessagesRequest(talk));
      expect(JSON.stringify(received[1]?.body)).toContain('signed-thought');
    });
  },
);

type PromptPart = Exclude<LanguageModelV4Prompt[number], { role: 'system' }>['content'][number];

function listPromptParts(prompt: LanguageModelV4Prompt): readonly PromptPart[] {
  return prompt.flatMap((message): readonly PromptPart[] =>
    message.role === 'system' ? [] : message.content,
  );
}

function listPromptTexts(prompt: LanguageModelV4Prompt): readonly string[] {
  const systems = prompt.flatMap((message) => (message.role === 'system' ? message.content : []));
  return [...systems, ...listPromptParts(prompt).flatMap((part) => (part.type === 'text' ? part.text : []))];
}

function arbitraryText(): fc.Arbitrary<string> {
  return fc.oneof(fc.string({ unit: codePoint }), fc.constantFrom('', ' \n', 'Go.', '\ud800', 'x '));
}

/** Messages that may follow each other in a conversation: each call has its result. */
function arbitraryRound(): fc.Arbitrary<readonly ConversationMessage[]> {
  const call = fc.tuple(
    fc.oneof(fc.constantFrom('0', 'call_2', 'a b', ''), fc.string()),
    fc.string(),
    fc.jsonValue(),
  );
  const calls = fc.uniqueArray(call, { maxLength: 3, selector: ([id]) => id });
  return fc.oneof(
    arbitraryText().map((text) => [createUserMessage(text)]),
    fc
      .tuple(arbitraryText(), calls, arbitraryText())
      .map(([text, asked, output]) => [
        createAssistantMessage(text, ...(asked as [string, string, Json][])),
        ...asked.map(([id, name]) => createToolMessage(id, output, name)),
      ]),
  );
}
