import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { Agent } from '../../src/agent/agent.ts';
import type { McpServer, McpUrlServer } from '../../src/mcp/mcp-server.ts';
import { callMcpTool, getCallFailure, getCallOutput, createMcpTestServer } from './mcp-test-server.ts';

const { folder, connect } = createMcpTestServer();
const require = createRequire(import.meta.url);

const programs = {
  filesystem: require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
  memory: require.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
  everything: require.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
};

function createOfficialServer(name: keyof typeof programs, ...args: readonly string[]): McpServer {
  return { name, command: process.execPath, args: [programs[name], ...args] };
}

describe('the official filesystem server', () => {
  it('reads, writes and lists files through an agent', async () => {
    writeFileSync(join(folder, 'poem.txt'), 'roses are red\n');
    const connection = await connect(createOfficialServer('filesystem', folder));
    const path = join(folder, 'copy.txt');
    const model = createScriptedModel([
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
    void agent.sendMessage('copy it');
    const session = await agent.waitUntilIdle();
    expect(JSON.stringify(session)).toContain('roses are red');
    expect(readFileSync(path, 'utf8')).toBe('violets are blue\n');
  });

  it('rejects a path outside its folders, as a tool error', { tags: ['unix'] }, async () => {
    const connection = await connect(createOfficialServer('filesystem', folder));
    symlinkSync('/etc', join(folder, 'way-out'));
    for (const path of ['/etc/hostname', join(folder, 'way-out', 'hostname')])
      expect(await getCallFailure(callMcpTool(connection, 'filesystem__read_text_file', { path }))).toMatch(
        /^failed: .*denied/i,
      );
  });

  it('reports which argument is wrong', async () => {
    const connection = await connect(createOfficialServer('filesystem', folder));
    expect(
      await getCallFailure(callMcpTool(connection, 'filesystem__read_text_file', { pth: 'x' })),
    ).toContain('path');
  });
});

describe('the official memory server', () => {
  it('keeps its data across connections', async () => {
    const server = {
      ...createOfficialServer('memory'),
      env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
    };
    const first = await connect(server);
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }];
    expect(await callMcpTool(first, 'memory__create_entities', { entities })).toMatchObject({ ok: true });
    await first.close();
    expect(existsSync(join(folder, 'memory.jsonl'))).toBe(true);
    const second = await connect(server);
    expect(await callMcpTool(second, 'memory__search_nodes', { query: 'Ada' })).toMatchObject({
      ok: true,
      output: expect.stringContaining('writes programs'),
    });
  });
});

describe.each(['stdio', 'streamable HTTP'])('the official everything server over %s', (way) => {
  let server = createOfficialServer('everything');
  let stop = stopNothing;

  beforeAll(async () => {
    if (way !== 'stdio') ({ server, stop } = await startListeningServer());
  });

  afterAll(() => stop());

  it('returns text, numbers and structured content', async () => {
    const connection = await connect(server);
    expect(await callMcpTool(connection, 'everything__echo', { message: 'hello' })).toEqual({
      ok: true,
      output: 'Echo: hello',
    });
    expect(await callMcpTool(connection, 'everything__get-sum', { a: 2, b: 3 })).toMatchObject({
      ok: true,
      output: expect.stringContaining('5'),
    });
    const weather = callMcpTool(connection, 'everything__get-structured-content', { location: 'Chicago' });
    expect(JSON.parse(await getCallOutput(weather))).toHaveProperty('temperature');
  });

  it('has images, resources and links described as text', async () => {
    const connection = await connect(server);
    expect(await callMcpTool(connection, 'everything__get-tiny-image')).toMatchObject({
      ok: true,
      output: expect.stringMatching(/\[image, image\/png, \d+ bytes; not shown\]/),
    });
    const reference = { resourceType: 'Text', resourceId: 1 };
    expect(await callMcpTool(connection, 'everything__get-resource-reference', reference)).toMatchObject({
      ok: true,
      output: expect.stringContaining('[resource demo://resource/dynamic/text/1, text/plain]\n'),
    });
    expect(await callMcpTool(connection, 'everything__get-resource-links', { count: 2 })).toMatchObject({
      ok: true,
      output: expect.stringContaining('[link to '),
    });
  });

  it('reports progress and can be cancelled', async () => {
    const connection = await connect(server);
    const reports: string[] = [];
    const slow = 'everything__trigger-long-running-operation';
    const done = await callMcpTool(
      connection,
      slow,
      { duration: 1, steps: 4 },
      { report: (each) => reports.push(each) },
    );
    expect(done).toMatchObject({ ok: true });
    expect(reports).toContain('2 of 4');
    const controller = new AbortController();
    const started = Promise.withResolvers<string>();
    const result = callMcpTool(
      connection,
      slow,
      { duration: 600, steps: 6_000 },
      { signal: controller.signal, report: started.resolve },
    );
    await started.promise;
    controller.abort();
    expect(await getCallFailure(result)).toContain('interrupted: Cancelled');
    expect(await callMcpTool(connection, 'everything__echo', { message: 'still' })).toMatchObject({
      ok: true,
    });
  });

  it('gets no client capabilities, so that it does not offer tools that need them', async () => {
    const connection = await connect(server);
    const names = connection.tools.map((tool) => tool.description.name).join(' ');
    expect(names).not.toMatch(/sampling|elicitation|roots/);
    expect(connection.problems).toEqual([]);
  });
});

describe('the official everything server over streamable HTTP after a restart', () => {
  it('fails a call when it exits during the call', async () => {
    const { server, stop } = await startListeningServer();
    const connection = await connect(server, { limits: { backoffMs: 1, restarts: 2 } });
    const started = Promise.withResolvers<string>();
    const long = { duration: 600, steps: 6_000 };
    const result = callMcpTool(connection, 'everything__trigger-long-running-operation', long, {
      report: started.resolve,
    });
    await started.promise;
    await stop();
    expect(await getCallFailure(result)).toMatch(
      /^failed: The MCP server everything disconnected during this call\./,
    );
    expect(await getCallFailure(callMcpTool(connection, 'everything__echo', { message: 'x' }))).toContain(
      'cannot be reached',
    );
  });

  it('is reconnected automatically after a restart', async () => {
    const first = await startListeningServer();
    const connection = await connect(first.server, { limits: { backoffMs: 1 } });
    expect(await callMcpTool(connection, 'everything__echo', { message: 'one' })).toMatchObject({ ok: true });
    await first.stop();
    const second = await startListeningServer(Number(new URL(first.server.url).port));
    // It knows nothing of the session we had with the one before it.
    expect(await getCallFailure(callMcpTool(connection, 'everything__echo', { message: 'two' }))).toMatch(
      /The next call reconnects/,
    );
    expect(await callMcpTool(connection, 'everything__echo', { message: 'three' })).toMatchObject({
      ok: true,
    });
    await second.stop();
  });
});

async function stopNothing(): Promise<void> {}

type ListeningServer = { readonly server: McpUrlServer; readonly stop: () => Promise<void> };

async function startListeningServer(at?: number): Promise<ListeningServer> {
  const port = at ?? (await findFreePort());
  const child = spawn(process.execPath, [programs.everything, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  await vi.waitFor(() => fetch(url), { timeout: 120_000 });
  return {
    server: { name: 'everything', url },
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
