import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runGoal, type RunOptions } from '../../src/run/start-run.ts';
import { UsageError } from '../../src/output/exit-codes.ts';
import { captureIo } from '../capture-io.ts';
import {
  startOpenAiServer,
  tooLongReply,
  type ChatRequestBody,
  type OpenAiServer,
} from '../openai-server.ts';

let folder = '';
let server: OpenAiServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-model-'));
  await writeFile(join(folder, 'garden.md'), '# Garden\n\nThe garden party is on the ninth of June.\n');
  server = await startOpenAiServer();
});

afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

async function runModelGoal(
  more: Partial<RunOptions> = {},
): Promise<{ code: number; out: string; err: string }> {
  const captured = captureIo();
  const options = {
    dir: folder,
    profile: 'pawl',
    model: 'openai-compatible:m',
    baseUrl: server.url,
    ...more,
  };
  const code = await runGoal('When is the garden party?', options, captured.io);
  return { code, out: captured.out(), err: captured.err() };
}

const isSummaryRequest = (body: ChatRequestBody): boolean => body.tools === undefined;

describe('pawl run --model', () => {
  it('lets a model search over a real connection, and shows its answer', async () => {
    server.says = (request) =>
      request === 1 ? { tool: 'search', args: { query: 'garden party' } } : 'On the ninth of June.';
    const { code, out } = await runModelGoal();
    expect(code).toBe(0);
    expect(out).toContain('On the ninth of June.');
    expect(server.asked).toHaveLength(2);
    expect(JSON.stringify(server.asked[1]?.messages.at(-1))).toContain('ninth of June');
  });

  it('ends a stuck model with an answer and exit code 3', async () => {
    server.says = (request) => (request > 6 ? 'I give up.' : { tool: 'search', args: { query: 'treasure' } });
    const { code, err } = await runModelGoal();
    expect(code).toBe(3);
    expect(err).toContain('search was called 4 times in a row');
    expect(JSON.stringify(server.asked[3])).toContain('It will not change by asking again');
  });

  it('enforces a cost budget with a final answer and exit code 4', async () => {
    server.says = (request) =>
      request > 3 ? 'So much for that.' : { tool: 'search', args: { query: `part ${request}` } };
    const { code } = await runModelGoal({ priceIn: '1', priceOut: '1', maxCost: '0.004' });
    expect(code).toBe(4);
    expect(server.asked).toHaveLength(4);
  });

  it('compacts the context with a model, and continues with its summary', async () => {
    let steps = 0;
    server.says = (_, body) => {
      if (isSummaryRequest(body)) return 'Ten searches found nothing but the garden.';
      steps += 1;
      if (steps === 11) return tooLongReply;
      return steps > 11
        ? 'On the ninth.'
        : { tool: 'search', args: { query: `garden ${'party '.repeat(steps)}` } };
    };
    const { code, out } = await runModelGoal({ summaryModel: 'same' });
    expect(code).toBe(0);
    expect(out).toContain('On the ninth.');
    const summaries = server.asked.filter(isSummaryRequest);
    expect(summaries).toHaveLength(1);
    expect(JSON.stringify(summaries[0]?.messages)).toContain('agent: \\n  calls search');
    const last = JSON.stringify(server.asked.at(-1)?.messages);
    expect(last).toContain('What happened: Ten searches found nothing but the garden.');
    expect(last.length).toBeLessThan(JSON.stringify(server.asked[10]?.messages).length);
  });

  it('reports immediately that a model cannot write summaries', async () => {
    await expect(runModelGoal({ summaryModel: 'librarian' })).rejects.toThrow(
      'The librarian cannot write summaries. Choose another --summary-model, or omit it.',
    );
    await expect(runModelGoal({ summaryModel: 'nobody:x' })).rejects.toThrow(UsageError);
  });

  it('parses calls that a model writes as text', async () => {
    server.says = (request) =>
      request === 1 ? '{"tool": "search", "args": {"query": "garden party"}}' : 'On the ninth of June.';
    const { code, out } = await runModelGoal();
    expect(code).toBe(0);
    expect(out).toContain('ninth of June');
    expect(server.asked).toHaveLength(2);
  });

  it.each([
    ['an unknown model', { model: 'opneai:gpt' }, /openai/],
    ['a price alone', { priceIn: '3' }, /both --price-in and --price-out/],
    ['a budget of money without prices', { maxCost: '1' }, /requires prices: --price-in/],
    ['a missing address', { baseUrl: undefined }, /base/i],
    [
      'replies without a token',
      { maxOutputTokens: '0' },
      /--max-output-tokens must be a whole number of at least 1/,
    ],
    ['half a token', { maxOutputTokens: '2.5' }, /--max-output-tokens must be a whole number/],
  ])('says in one line what is wrong with %s', async (_, more, message) => {
    const asking = runModelGoal(more as Partial<RunOptions>);
    await expect(asking).rejects.toThrow(UsageError);
    await expect(asking).rejects.toThrow(message);
    expect(server.asked).toEqual([]);
  });
});
