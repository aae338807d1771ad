import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createScripted } from '../../src/models/scripted.ts';
import { Agent } from '../../src/agent.ts';
import type { McpServer, McpUrlServer } from '../../src/mcp/mcp-server.ts';
import { call, failureOf, outputOf, serving } from './serving.ts';

const { folder, connect } = serving();
const require = createRequire(import.meta.url);

const programs = {
  filesystem: require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
  memory: require.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
  everything: require.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
};

function official(name: keyof typeof programs, ...args: readonly string[]): McpServer {
  return { name, command: process.execPath, args: [programs[name], ...args] };
}

describe('the official filesystem server', () => {
  it('reads, writes and lists files through an agent', async () => {
    writeFileSync(join(folder, 'poem.txt'), 'roses are red\n');
    const connection = await connect(official('filesystem', folder));
    const path = join(folder, 'copy.txt');
    const model = createScripted([
      {
        text: '',
        calls: [
          { id: '1', tool: 'filesystem__read_text_file', args: { path: join(folder, 'poem.txt') } },
          { id: '2', tool: 'filesystem__write_file', args: { path, content: 'violets are blue\n' } },
        ],
      },
      { text: 'done', calls: [] },
    ]);
    const agent = new Agent({ model, tools: connection.tools });
    void agent.say('copy it');
    const session = await agent.idle();
    expect(JSON.stringify(session)).toContain('roses are red');
    expect(readFileSync(path, 'utf8')).toBe('violets are blue\n');
  });

  it('refuses a path outside its folders, and the refusal is data', async () => {
    const connection = await connect(official('filesystem', folder));
    symlinkSync('/etc', join(folder, 'way-out'));
    for (const path of ['/etc/hostname', join(folder, 'way-out', 'hostname')])
      expect(await failureOf(call(connection, 'filesystem__read_text_file', { path }))).toMatch(
        /^failed: .*denied/i,
      );
  });

  it('tells which argument is wrong', async () => {
    const connection = await connect(official('filesystem', folder));
    expect(await failureOf(call(connection, 'filesystem__read_text_file', { pth: 'x' }))).toContain('path');
  });
});

describe('the official memory server', () => {
  it('remembers from one connection to the next', async () => {
    const server = { ...official('memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } };
    const first = await connect(server);
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }];
    expect(await call(first, 'memory__create_entities', { entities })).toMatchObject({ ok: true });
    await first.close();
    expect(existsSync(join(folder, 'memory.jsonl'))).toBe(true);
    const second = await connect(server);
    expect(await call(second, 'memory__search_nodes', { query: 'Ada' })).toMatchObject({
      ok: true,
      output: expect.stringContaining('writes programs'),
    });
  });
});

describe.each(['stdio', 'streamable HTTP'])('the official everything server over %s', (way) => {
  let server = official('everything');
  let stop = nothingToStop;

  beforeAll(async () => {
    if (way !== 'stdio') ({ server, stop } = await listening());
  });

  afterAll(() => stop());

  it('answers in text, numbers and structures', async () => {
    const connection = await connect(server);
    expect(await call(connection, 'everything__echo', { message: 'hello' })).toEqual({
      ok: true,
      output: 'Echo: hello',
    });
    expect(await call(connection, 'everything__get-sum', { a: 2, b: 3 })).toMatchObject({
      ok: true,
      output: expect.stringContaining('5'),
    });
    const weather = call(connection, 'everything__get-structured-content', { location: 'Chicago' });
    expect(JSON.parse(await outputOf(weather))).toHaveProperty('temperature');
  });

  it('has its pictures, resources and links described in words', async () => {
    const connection = await connect(server);
    expect(await call(connection, 'everything__get-tiny-image')).toMatchObject({
      ok: true,
      output: expect.stringMatching(/\[image, image\/png, \d+ bytes; not shown\]/),
    });
    const reference = { resourceType: 'Text', resourceId: 1 };
    expect(await call(connection, 'everything__get-resource-reference', reference)).toMatchObject({
      ok: true,
      output: expect.stringContaining('[resource demo://resource/dynamic/text/1, text/plain]\n'),
    });
    expect(await call(connection, 'everything__get-resource-links', { count: 2 })).toMatchObject({
      ok: true,
      output: expect.stringContaining('[link to '),
    });
  });

  it('reports its progress, and can be called off', async () => {
    const connection = await connect(server);
    const reports: string[] = [];
    const slow = 'everything__trigger-long-running-operation';
    const done = await call(
      connection,
      slow,
      { duration: 1, steps: 4 },
      { report: (each) => reports.push(each) },
    );
    expect(done).toMatchObject({ ok: true });
    expect(reports).toContain('2 of 4');
    const calledOff = new AbortController();
    const begun = Promise.withResolvers<string>();
    const result = call(
      connection,
      slow,
      { duration: 600, steps: 6_000 },
      { signal: calledOff.signal, report: begun.resolve },
    );
    await begun.promise;
    calledOff.abort();
    expect(await failureOf(result)).toContain('interrupted: Called off');
    expect(await call(connection, 'everything__echo', { message: 'still' })).toMatchObject({ ok: true });
  });

  it('is offered no capability of ours, so its tools that would ask us for something are not there', async () => {
    const connection = await connect(server);
    const names = connection.tools.map((tool) => tool.description.name).join(' ');
    expect(names).not.toMatch(/sampling|elicitation|roots/);
    expect(connection.problems).toEqual([]);
  });
});

describe('the official everything server over streamable HTTP, once more', () => {
  it('fails a call when it dies in the middle of it', async () => {
    const { server, stop } = await listening();
    const connection = await connect(server, { limits: { backoffMs: 1, restarts: 2 } });
    const begun = Promise.withResolvers<string>();
    const long = { duration: 600, steps: 6_000 };
    const result = call(connection, 'everything__trigger-long-running-operation', long, {
      report: begun.resolve,
    });
    await begun.promise;
    await stop();
    expect(await failureOf(result)).toMatch(
      /^failed: The MCP server everything went away during this call\./,
    );
    expect(await failureOf(call(connection, 'everything__echo', { message: 'x' }))).toContain(
      'cannot be reached',
    );
  });

  it('is reached again by itself after it was started anew', async () => {
    const first = await listening();
    const connection = await connect(first.server, { limits: { backoffMs: 1 } });
    expect(await call(connection, 'everything__echo', { message: 'one' })).toMatchObject({ ok: true });
    await first.stop();
    const second = await listening(Number(new URL(first.server.url).port));
    // It knows nothing of the session we had with the one before it.
    expect(await failureOf(call(connection, 'everything__echo', { message: 'two' }))).toMatch(/reached anew/);
    expect(await call(connection, 'everything__echo', { message: 'three' })).toMatchObject({ ok: true });
    await second.stop();
  });
});

async function nothingToStop(): Promise<void> {}

type Listening = { readonly server: McpUrlServer; readonly stop: () => Promise<void> };

async function listening(at?: number): Promise<Listening> {
  const port = at ?? (await freePort());
  const child = spawn(process.execPath, [programs.everything, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  await vi.waitFor(() => fetch(url), { timeout: 20_000, interval: 100 });
  return {
    server: { name: 'everything', url },
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
