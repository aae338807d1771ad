import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run, type RunOptions } from '../../src/commands/run.ts';
import { UsageError } from '../../src/usage-error.ts';
import { captureIo } from '../captured-io.ts';

type Body = { readonly messages: readonly { readonly role: string; readonly content?: unknown }[] };

/** What the model says to a request: text, or one call. */
type Say = string | { readonly tool: string; readonly args: object };

let folder = '';
let server: Server;
let asked: Body[] = [];
let says: (request: number) => Say = () => '';

/** A local server with the wire format of chat completions, streamed. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-model-'));
  await writeFile(join(folder, 'garden.md'), '# Garden\n\nThe garden party is on the ninth of June.\n');
  asked = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push(JSON.parse(body) as Body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const line of stream(says(asked.length), asked.length)) response.write(`data: ${line}\n\n`);
      response.end('data: [DONE]\n\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

function stream(say: Say, id: number): readonly string[] {
  const chunk = (delta: object, finish: string | null): string =>
    JSON.stringify({
      id: `c${id}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...(finish !== null && { usage: { prompt_tokens: 900, completion_tokens: 100, total_tokens: 1_000 } }),
    });
  if (typeof say === 'string') {
    return [chunk({ role: 'assistant', content: say }, null), chunk({}, 'stop')];
  }
  const call = {
    index: 0,
    id: `call_${id}`,
    type: 'function',
    function: { name: say.tool, arguments: JSON.stringify(say.args) },
  };
  return [chunk({ role: 'assistant', tool_calls: [call] }, null), chunk({}, 'tool_calls')];
}

async function ask(more: Partial<RunOptions> = {}): Promise<{ code: number; out: string; err: string }> {
  const captured = captureIo();
  const { port } = server.address() as AddressInfo;
  const options = {
    dir: folder,
    profile: 'pawl',
    model: 'openai-compatible:m',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    ...more,
  };
  const code = await run('When is the garden party?', options, captured.io);
  return { code, out: captured.out(), err: captured.err() };
}

describe('pawl run --model', () => {
  it('lets a model behind a real connection search, and shows its answer', async () => {
    says = (request) =>
      request === 1 ? { tool: 'search', args: { query: 'garden party' } } : 'On the ninth of June.';
    const { code, out } = await ask();
    expect(code).toBe(0);
    expect(out).toContain('On the ninth of June.');
    expect(asked).toHaveLength(2);
    expect(JSON.stringify(asked[1]?.messages.at(-1))).toContain('ninth of June');
  });

  it('ends a model that goes round in circles with an answer and exit code 3', async () => {
    says = (request) => (request > 6 ? 'I give up.' : { tool: 'search', args: { query: 'treasure' } });
    const { code, err } = await ask();
    expect(code).toBe(3);
    expect(err).toContain('search was called 4 times in a row');
    expect(JSON.stringify(asked[3])).toContain('It will not change by asking again');
  });

  it('keeps to a budget of money, with room for a last answer, and exit code 4', async () => {
    says = (request) =>
      request > 3 ? 'So much for that.' : { tool: 'search', args: { query: `part ${request}` } };
    const { code } = await ask({ priceIn: '1', priceOut: '1', maxCost: '0.004' });
    expect(code).toBe(4);
    expect(asked).toHaveLength(4);
  });

  it('understands a model that writes its calls as text', async () => {
    says = (request) =>
      request === 1 ? '{"tool": "search", "args": {"query": "garden party"}}' : 'On the ninth of June.';
    const { code, out } = await ask();
    expect(code).toBe(0);
    expect(out).toContain('ninth of June');
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['a model nobody knows', { model: 'opneai:gpt' }, /openai/],
    ['a price alone', { priceIn: '3' }, /both --price-in and --price-out/],
    ['a budget of money without prices', { maxCost: '1' }, /needs prices: --price-in/],
    ['a missing address', { baseUrl: undefined }, /base/i],
  ])('says in one line what is wrong with %s', async (_, more, message) => {
    const asking = ask(more as Partial<RunOptions>);
    await expect(asking).rejects.toThrow(UsageError);
    await expect(asking).rejects.toThrow(message);
    expect(asked).toEqual([]);
  });
});
