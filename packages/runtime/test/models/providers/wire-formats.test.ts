import { describe, expect, it } from 'vitest';
import type { ConversationMessage } from '@pawl/core';
import {
  createTextRequest,
  createMessagesRequest,
  collectModelFailure,
  collectModelStream,
  collectModelReply,
} from './collect-stream.ts';
import { sendEvents, startTestServer } from '../../../../../scripts/testing/test-server.ts';
import { testEnvironment, wireFormats } from './wire-formats.ts';

const toolReply = { calls: [{ id: 'id-1', tool: 'read', input: '{"path":"a.md"}' }] };

const workedMessages: readonly ConversationMessage[] = [
  { role: 'user', at: 0, text: 'What is in a.md?' },
  {
    role: 'assistant',
    at: 1,
    text: 'I look.',
    calls: [
      { id: 'a', tool: 'read', args: { path: 'a.md' } },
      { id: 'b', tool: 'read', args: { path: 'b.md' } },
    ],
  },
  { role: 'tool', at: 2, callId: 'a', tool: 'read', outcome: { ok: true, output: 'Apples.' } },
  {
    role: 'tool',
    at: 3,
    callId: 'b',
    tool: 'read',
    outcome: { ok: false, error: { kind: 'failed', message: 'There is no b.md.' } },
  },
];

describe.each(wireFormats)('a model of $name', ({ name, open, events, overflow }) => {
  it('streams text and repeats it in full in its reply, with its usage and what the provider says', async () => {
    const { url } = await startTestServer((response) =>
      sendEvents(response, events({ text: ['Hel', 'lo', '.'] })),
    );
    const { text, last } = await collectModelStream(await open(url));
    expect(text).toBe('Hello.');
    expect(last).toEqual({
      type: 'reply',
      text: 'Hello.',
      calls: [],
      usage: { inputTokens: 120, outputTokens: 30 },
      response: {
        id: expect.any(String) as string,
        finishReason: 'stop',
        // Google's package does not pass the model on.
        ...(name !== 'google' && { model: 'm' }),
      },
    });
  });

  it('reads calls with their arguments and streams them', async () => {
    const { url } = await startTestServer((response) =>
      sendEvents(response, events({ text: ['I look.'], ...toolReply })),
    );
    const { last, fragments } = await collectModelStream(await open(url));
    expect(last).toMatchObject({ text: 'I look.', calls: [{ tool: 'read', args: { path: 'a.md' } }] });
    expect(JSON.parse(fragments.join(''))).toEqual({ path: 'a.md' });
  });

  it('computes the cost of a reply, with cached input at its own price', async () => {
    const { url } = await startTestServer((response) => sendEvents(response, events({ text: ['Hello.'] })));
    const prices = { inputPerMillion: 10_000, cachedInputPerMillion: 1_000, outputPerMillion: 50_000 };
    const { usage } = await collectModelReply(await open(url, { prices }));
    expect(usage).toEqual({
      inputTokens: 120,
      outputTokens: 30,
      cost: expect.closeTo(0.2 + 0.1 + 1.5, 9) as number,
    });
  });

  it('does not stream reasoning as text', async () => {
    const reply = { reasoning: 'The user greets me.', text: ['Hello.'] };
    const { url } = await startTestServer((response) => sendEvents(response, events(reply)));
    const { text, last } = await collectModelStream(await open(url));
    expect(text).toBe('Hello.');
    expect(last).toMatchObject({ type: 'reply', text: 'Hello.' });
  });

  it('sends the whole conversation, results and errors with their calls, and the advice at the end', async () => {
    const { url, received } = await startTestServer((response) =>
      sendEvents(response, events({ text: ['Apples.'] })),
    );
    const request = createMessagesRequest(workedMessages, {
      system: 'You are terse.',
      advice: 'Answer now.',
    });
    await collectModelReply(await open(url), request);
    const sent = JSON.stringify(received[0]?.body);
    const places = ['What is in a.md?', 'I look.', 'Apples.', 'Error: There is no b.md.', 'Answer now.'];
    const found = places.map((text) => sent.indexOf(text));
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(Math.min(...found)).toBeGreaterThan(0);
    expect(sent).toContain('You are terse.');
    expect(sent).toContain('Reads a file.');
    expect(findLastText(received[0]?.body)).toBe('Answer now.');
  });

  it('replaces the advice with the state section', async () => {
    const { url, received } = await startTestServer((response) =>
      sendEvents(response, events({ text: ['Yes.'] })),
    );
    const request = createMessagesRequest(workedMessages, {
      advice: 'Answer now.',
      state: 'You are in DECIDING.',
    });
    await collectModelReply(await open(url), request);
    expect(findLastText(received[0]?.body)).toBe('You are in DECIDING.');
    expect(JSON.stringify(received[0]?.body)).not.toContain('Answer now.');
  });

  it('requests no calls without offered tools, even after earlier calls', async () => {
    const { url, received } = await startTestServer((response) =>
      sendEvents(response, events({ text: ['Done.'] })),
    );
    await collectModelReply(await open(url), createMessagesRequest(workedMessages, { tools: [] }));
    const sent = JSON.stringify(received[0]?.body);
    expect(sent).toMatch(/"tool_choice":(?:"none"|\{"type":"none"\})|"mode":"NONE"/);
    expect(sent).not.toContain('Reads a file.');
  });

  it('distinguishes a truncated reply from a complete one', async () => {
    const cut = { text: ['And so the'], finish: 'length' } as const;
    const { url } = await startTestServer((response) => sendEvents(response, events(cut)));
    expect(await collectModelFailure(await open(url))).toMatchObject({ kind: 'truncated', retryable: false });
  });

  it('uses the calls of a reply that was truncated after them', async () => {
    const { url } = await startTestServer((response) =>
      sendEvents(response, events({ ...toolReply, finish: 'length' })),
    );
    const { calls } = await collectModelReply(await open(url));
    expect(calls).toMatchObject([{ tool: 'read', args: { path: 'a.md' } }]);
  });

  it('recognizes a refusal', async () => {
    const filtered = { text: ['I'], finish: 'filter' } as const;
    const { url } = await startTestServer((response) => sendEvents(response, events(filtered)));
    expect(await collectModelFailure(await open(url))).toMatchObject({ kind: 'refused', retryable: false });
  });

  it("recognizes the provider's context overflow error", async () => {
    const { url, received } = await startTestServer((response) => {
      response.writeHead(overflow.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(overflow.body));
    });
    expect(await collectModelFailure(await open(url))).toMatchObject({
      kind: 'context-overflow',
      retryable: false,
    });
    expect(received).toHaveLength(1);
  });

  it('never shows the API key, even when the server does', async () => {
    const secret = testEnvironment['OPENAI_API_KEY'] ?? '';
    const { url, received } = await startTestServer((response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      const message = `Incorrect API key provided: ${secret}, or Bearer ${secret}`;
      response.end(
        JSON.stringify({
          type: 'error',
          error: { code: 401, message, type: 'authentication_error', status: 'UNAUTHENTICATED' },
        }),
      );
    });
    const error = await collectModelFailure(await open(url));
    expect(JSON.stringify(received[0]?.headers)).toContain(secret);
    expect(error).toMatchObject({ kind: 'auth', retryable: false });
    expect(error.message).toContain('Incorrect API key provided: [key]');
    expect(JSON.stringify(error)).not.toContain(secret);
  });

  it('stops when it is cancelled before it starts', async () => {
    const { url } = await startTestServer((response) => sendEvents(response, events({ text: ['Hello.'] })));
    const error = await collectModelFailure(
      await open(url),
      createTextRequest('Hello?'),
      AbortSignal.abort(),
    );
    expect(error).toMatchObject({ kind: 'unknown', retryable: false });
  });
});

/** The text that stands last in what was sent, whichever way the provider nests it. */
function findLastText(body: unknown): string | undefined {
  const fields = body as { readonly [name: string]: unknown };
  const messages = (fields['messages'] ?? fields['input'] ?? fields['contents']) as readonly unknown[];
  const texts = [...JSON.stringify(messages.at(-1)).matchAll(/"(?:text|content)":"((?:[^"\\]|\\.)*)"/g)];
  return texts.at(-1)?.[1];
}
