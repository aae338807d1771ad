import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { getConversation, type Event, type Verdict, toItemArray } from '@pawl/core';
import { createMemoryStore } from '@pawl/runtime/store';
import { recordConversation, emptyRecording } from '../../src/proxy/recording.ts';
import { startProxiedUpstream, type StartedProxy } from './start-proxy.ts';
import type { UpstreamRequest, UpstreamReply, UpstreamServer } from './upstream.ts';

let upstream: UpstreamServer;
let proxy: StartedProxy;

function respondStubbornly({ body }: UpstreamRequest): UpstreamReply {
  return body['tools'] === undefined
    ? { text: 'Nothing new.' }
    : { call: { tool: 'read', args: { path: 'a' } } };
}

const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'read' } }];

async function runRecordedClient(messages: OpenAI.ChatCompletionMessageParam[]): Promise<void> {
  const client = new OpenAI({ apiKey: 'sk-secret', baseURL: `${proxy.url}/v1`, maxRetries: 0 });
  for (;;) {
    const reply = await client.chat.completions.create({ model: 'tiny', messages, tools });
    const message = reply.choices[0]?.message;
    messages.push({
      role: 'assistant',
      content: message?.content ?? '',
      ...(message?.tool_calls && { tool_calls: message.tool_calls }),
    });
    if (message?.tool_calls === undefined) break;
    for (const { id } of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: id, content: 'same' });
  }
  await proxy.waitUntilIdle();
}

describe('a conversation through the proxy', () => {
  it('is recorded as a session with its verdicts and its ending', async () => {
    ({ upstream, proxy } = await startProxiedUpstream(respondStubbornly));
    await runRecordedClient([{ role: 'user', content: 'What is in a?' }]);
    const [summary, ...more] = await proxy.store.list();
    expect(more).toEqual([]);
    expect(summary).toMatchObject({
      goal: 'What is in a?',
      status: 'halted',
      steps: 5,
      metadata: { kind: 'proxy', dir: '/work', model: 'tiny' },
    });
    const id = summary?.id ?? '';
    const { session } = await proxy.store.open(id);
    expect(session.turn).toMatchObject({ haltReason: { kind: 'stuck', rule: 'repeated-call' } });
    expect(session.budgetUsage).toMatchObject({ modelCalls: 0 });
    const roles = toItemArray(getConversation(session)).map(({ role }) => role);
    expect(roles.filter((role) => role === 'tool').length).toBe(4);
    const events: Event[] = [];
    for await (const { event } of proxy.store.events(id)) events.push(event);
    expect(events.filter(({ type }) => type === 'verdict-reached').length).toBe(2);
    expect(events.find(({ type }) => type === 'model-replied')).toMatchObject({
      usage: { inputTokens: 100, outputTokens: 10 },
    });
    expect(await proxy.store.verify(id)).toMatchObject({ ok: true });
    expect(JSON.stringify([events, summary])).not.toContain('sk-secret');
  });

  it('continues in the same session with the next user message, and in a new one once the session is closed', async () => {
    let nextReply: UpstreamReply = { text: 'Four.' };
    ({ upstream, proxy } = await startProxiedUpstream((request) =>
      'text' in nextReply ? nextReply : respondStubbornly(request),
    ));
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Two and two?' }];
    await runRecordedClient(messages);
    messages.push({ role: 'user', content: 'And three?' });
    await runRecordedClient(messages);
    expect((await proxy.store.list()).map(({ status, steps }) => ({ status, steps }))).toEqual([
      { status: 'waitingForUser', steps: 2 },
    ]);
    nextReply = { call: { tool: 'read', args: {} } };
    messages.push({ role: 'user', content: 'Look it up.' });
    await runRecordedClient(messages);
    nextReply = { text: 'Nine.' };
    messages.push({ role: 'user', content: 'Then guess.' });
    await runRecordedClient(messages);
    const all = await proxy.store.list();
    expect(
      all.map(({ goal, status }) => ({ goal, status })).toSorted((a, b) => (a.status < b.status ? -1 : 1)),
    ).toEqual([
      { goal: 'Two and two?', status: 'halted' },
      { goal: 'Then guess.', status: 'waitingForUser' },
    ]);
  });

  it('is separate from one that starts alike, and continues if earlier messages were rewritten', async () => {
    ({ upstream, proxy } = await startProxiedUpstream(() => ({ text: 'Done.' })));
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Sort them.' }];
    await runRecordedClient(messages);
    messages[0] = { role: 'user', content: 'Sort them. (It is Monday.)' };
    messages.push({ role: 'user', content: 'Again.' });
    const client = new OpenAI({
      apiKey: 'x',
      baseURL: `${proxy.url}/v1`,
      defaultHeaders: { 'X-Pawl-Conversation': 'a' },
    });
    await client.chat.completions.create({ model: 'tiny', messages, tools });
    await proxy.waitUntilIdle();
    expect((await proxy.store.list()).length).toBe(2);
    messages[0] = { role: 'user', content: 'Sort them. (It is Tuesday.)' };
    messages.push({ role: 'assistant', content: 'Done.' }, { role: 'user', content: 'Once more.' });
    await client.chat.completions.create({ model: 'tiny', messages, tools });
    await proxy.waitUntilIdle();
    const all = await proxy.store.list();
    expect(all.map(({ steps }) => steps).toSorted((a, b) => a - b)).toEqual([1, 3]);
  });

  it('has its verdicts before the last result of the round, even if a harness adds text', async () => {
    const store = createMemoryStore();
    const messages = [
      { role: 'user', content: 'Go.' },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 't1', name: 'ls', input: {} },
          { type: 'tool_use', id: 't2', name: 'ls', input: { all: true } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: 'a' },
          { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: 'no' }], is_error: true },
          { type: 'text', text: 'Mind the time.' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't3', name: 'ls', input: {} }] },
      { role: 'user', content: 'Never mind, stop.' },
    ];
    const verdict: Verdict = {
      severity: 'advise',
      rule: 'no-progress',
      reason: 'nothing moves',
      advice: 'Move.',
      evidence: [1],
      response: { kind: 'advise' },
    };
    const update = { usages: new Map(), at: 5 };
    const first = await recordConversation(
      store,
      emptyRecording,
      { ...update, messages: messages.slice(0, 3), verdict },
      null,
    );
    const second = await recordConversation(store, first, { ...update, messages, verdict: null }, null);
    const types: string[] = [];
    for await (const { event } of store.events(second.stored?.session.id ?? '')) {
      types.push(
        event.type === 'tool-finished' ? `${event.type} ${event.callId} ${event.outcome.ok}` : event.type,
      );
    }
    expect(types).toEqual([
      'user-message',
      'model-replied',
      'tool-finished t1 true',
      'verdict-reached',
      'tool-finished t2 false',
      'steered',
      'model-replied',
      'tool-finished t3 false',
      'steered',
    ]);
  });

  it('is not recorded if it is a single question without tools', async () => {
    ({ upstream, proxy } = await startProxiedUpstream(() => ({ text: 'A title' })));
    const client = new OpenAI({ apiKey: 'x', baseURL: `${proxy.url}/v1` });
    await client.chat.completions.create({
      model: 'tiny',
      messages: [{ role: 'user', content: 'Name this chat.' }],
    });
    await proxy.waitUntilIdle();
    expect(await proxy.store.list()).toEqual([]);
  });

  it('is forwarded if recording fails, which is reported once', async () => {
    const full = { ...createMemoryStore(), create: () => Promise.reject(new Error('The disk is full.')) };
    ({ upstream, proxy } = await startProxiedUpstream(() => ({ text: 'Done.' }), {}, { store: full }));
    await runRecordedClient([{ role: 'user', content: 'One.' }]);
    await runRecordedClient([{ role: 'user', content: 'Two.' }]);
    expect(upstream.requests.length).toBe(2);
    expect(proxy.notes).toEqual([
      expect.stringContaining('later conversations are not recorded: The disk is full.'),
    ]);
  });
});
