import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { serveMcp } from '../../src/commands/mcp/action.ts';
import { listMemory } from '../../src/commands/memory/action.ts';
import { captureIo } from '../capture-io.ts';

const entry = fileURLToPath(new URL('../fixtures/mcp-program.ts', import.meta.url));

let client: Client | undefined;
afterEach(() => client?.close());

/** Connects the official client to the command in its own process. */
async function connectMcpClient(storage: string): Promise<Client> {
  client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [entry, '--storage', storage] }),
  );
  return client;
}

function createStoragePath(): string {
  return join(mkdtempSync(join(tmpdir(), 'pawl-mcp-')), 'memory.sqlite');
}

async function callMcpTool(name: string, args: object): Promise<unknown> {
  const result = await client?.callTool({ name, arguments: { ...args } });
  return result?.isError === true ? { isError: true, content: result.content } : result?.structuredContent;
}

describe('pawl mcp', () => {
  it('lists its tools with input and output schemas', async () => {
    const { tools } = await (await connectMcpClient(createStoragePath())).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['observe', 'verdict', 'remember', 'recall', 'search']);
    for (const { description, inputSchema, outputSchema } of tools) {
      expect(description).toMatch(/\.$/);
      expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object']);
    }
  });

  it('detects repeated failures separately for each agent', async () => {
    await connectMcpClient(createStoragePath());
    const observed = { tool: 'grep', args: { pattern: 'x' }, success: false, error: 'no such file' };
    expect(await callMcpTool('observe', observed)).toMatchObject({ stuck: false, severity: 'none' });
    expect(await callMcpTool('observe', observed)).toMatchObject({ stuck: false, severity: 'advise' });
    expect(await callMcpTool('observe', { ...observed, session: 'other' })).toMatchObject({
      severity: 'none',
    });
    expect(await callMcpTool('observe', observed)).toMatchObject({
      stuck: true,
      rule: 'repeated-failure',
      advice: expect.stringContaining('Repeating it will fail again') as string,
      evidence: [1, 2, 3],
    });
    expect(await callMcpTool('verdict', {})).toMatchObject({ stuck: true, calls: 3 });
    expect(await callMcpTool('verdict', { session: 'other' })).toMatchObject({ stuck: false, calls: 1 });
    await callMcpTool('observe', { tool: 'ls', args: {}, output: 'a b c' });
    expect(await callMcpTool('verdict', {})).toMatchObject({ stuck: false });
  });

  it('persists entries across connections, in the same memory that pawl memory lists', async () => {
    const storage = createStoragePath();
    await connectMcpClient(storage);
    const storedEntry = { tags: 'wish, birthday', value: 'A telescope for the attic' };
    expect(await callMcpTool('remember', storedEntry)).toEqual({
      tags: ['birthday', 'wish'],
      replaced: false,
    });
    expect(await callMcpTool('remember', storedEntry)).toMatchObject({ replaced: true });
    await client?.close();
    await connectMcpClient(storage);
    expect(await callMcpTool('recall', { tags: 'birthday,wish' })).toMatchObject({
      found: true,
      entry: { value: storedEntry.value },
    });
    expect(await callMcpTool('recall', { tags: 'nothing' })).toEqual({ found: false, entry: null });
    expect(await callMcpTool('search', { query: 'telescope' })).toMatchObject({
      entries: [{ tags: ['birthday', 'wish'] }],
    });
    expect(await callMcpTool('search', { query: 'telescope', tags: 'christmas' })).toEqual({ entries: [] });
    const { io, out } = captureIo();
    await listMemory({ storage, dir: '.' }, io);
    expect(out()).toContain('A telescope');
  });

  it('rejects invalid arguments with an error that names the problem', async () => {
    await connectMcpClient(createStoragePath());
    for (const [name, args] of [
      ['remember', { tags: ' , ', value: 'x' }],
      ['recall', { tags: 'x'.repeat(1_000) }],
      ['observe', {}],
      ['search', { limit: 100_000 }],
    ] as const) {
      const result = await client
        ?.callTool({ name, arguments: args })
        .catch((error: unknown) => ({ isError: true, content: String(error) }));
      expect(result?.isError).toBe(true);
      expect(JSON.stringify(result?.content)).toMatch(/tags|tool|limit/);
    }
  });

  it('exits when its client disconnects or its signal aborts', async () => {
    const stdin = new PassThrough();
    const leave = new AbortController();
    const { io } = captureIo();
    const served = serveMcp(
      { dir: '.', storage: createStoragePath(), signal: leave.signal },
      { ...io, stdin },
    );
    stdin.end();
    expect(await served).toBe(0);
    const other = serveMcp(
      { dir: '.', storage: createStoragePath(), signal: leave.signal },
      { ...io, stdin: new PassThrough() },
    );
    leave.abort();
    expect(await other).toBe(0);
  });
});
