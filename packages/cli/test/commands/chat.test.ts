import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@pawl/runtime/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/output/exit-codes.ts';
import { startChat, type RunOptions } from '../../src/run/start-run.ts';
import { captureIo } from '../capture-io.ts';
import { startOpenAiServer, type OpenAiServer } from '../openai-server.ts';

let folder = '';
let server: OpenAiServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-chat-'));
  server = await startOpenAiServer();
  server.says = (request) => `answer ${request}`;
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const createRunOptions = (more: Partial<RunOptions> = {}): RunOptions => ({
  dir: folder,
  store: join(folder, 'sessions.db'),
  model: 'openai-compatible:m',
  baseUrl: server.url,
  ...more,
});

describe('pawl chat, without a terminal', () => {
  it('continues with the next line after a stop of the governor, but not after the end of a budget', async () => {
    server.says = (_, { messages }) =>
      JSON.stringify(messages).includes('"two"')
        ? 'Now I know it.'
        : { tool: 'glob', args: { pattern: '*' } };
    const stopped = captureIo('one\ntwo\n');
    expect(await startChat(null, createRunOptions({ quiet: true }), stopped.io)).toBe(0);
    expect(stopped.out()).toContain('Now I know it.\n');
    const asked = server.asked.length;
    const spent = captureIo('one\ntwo\n');
    const options = createRunOptions({ quiet: true, maxSteps: '2' });
    expect(await startChat(null, options, spent.io)).toBe(exitCodes.budget);
    expect(server.asked).toHaveLength(asked + 2);
  });

  it('treats each line as a user message, answers each, and stores one session', async () => {
    const { io, out } = captureIo('one\n\n  \ntwo\n');
    expect(await startChat(null, createRunOptions({ quiet: true }), io)).toBe(0);
    expect(out()).toBe('answer 1\nanswer 2\n');
    const userMessages = server.asked.at(-1)?.messages.filter(({ role }) => role === 'user') ?? [];
    expect(JSON.stringify(userMessages)).toMatch(/one.*two/);
    const store = openSqliteStore(join(folder, 'sessions.db'));
    expect(await store.list()).toMatchObject([{ goal: 'one', steps: 2 }]);
    await store.close();
  });

  it('starts with the message of the command line', async () => {
    const { io, out } = captureIo('');
    expect(await startChat('hello', createRunOptions({ quiet: true }), io)).toBe(0);
    expect(out()).toBe('answer 1\n');
  });

  it('prints everything as JSON', async () => {
    const { io, out } = captureIo('two\n');
    expect(await startChat('one', createRunOptions({ json: true }), io)).toBe(0);
    const lines = out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; text?: string });
    expect(lines.filter(({ type }) => type === 'reply').map(({ text }) => text)).toEqual([
      'answer 1',
      'answer 2',
    ]);
    expect(lines.at(-1)).toMatchObject({ type: 'result', status: 'answered', answer: 'answer 2' });
  });

  it('exits with 0 without any message', async () => {
    const { io, out } = captureIo('');
    expect(await startChat(null, createRunOptions({ quiet: true }), io)).toBe(0);
    expect(out()).toBe('');
  });
});
