import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runGoal } from '../../src/run/start-run.ts';
import { trustFolder } from '../../src/commands/trust/action.ts';
import { writeAllowedCalls } from '../allow-calls.ts';
import { captureTerminalIo, captureIo } from '../capture-io.ts';
import { startOpenAiServer, type OpenAiServer } from '../openai-server.ts';

const memoryServer = createRequire(import.meta.resolve('@pawl/runtime')).resolve(
  '@modelcontextprotocol/server-memory/dist/index.js',
);

let folder = '';
let server: OpenAiServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-mcp-'));
  vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'config'));
  writeAllowedCalls(join(folder, 'config'), 'allow mem__read_graph');
  await mkdir(join(folder, 'project'));
  await writeFile(join(folder, 'project', 'notes.md'), 'Nothing yet.\n');
  const config = {
    mcpServers: {
      mem: {
        command: process.execPath,
        args: [memoryServer],
        env: { MEMORY_FILE_PATH: join(folder, 'graph.jsonl') },
      },
    },
  };
  await writeFile(join(folder, 'project', 'pawl.config.json'), JSON.stringify(config));
  server = await startOpenAiServer();
  server.says = (request) =>
    request === 1
      ? { tool: 'mem__read_graph', args: {} }
      : { tool: 'finish', args: { answer: 'The graph is empty.' } };
});

afterEach(async () => {
  vi.unstubAllEnvs();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

async function runMcpGoal(io: ReturnType<typeof captureIo>): Promise<{ code: number; err: string }> {
  const dir = join(folder, 'project');
  const model = { model: 'openai-compatible:m', baseUrl: server.url, mode: 'full-auto' };
  const code = await runGoal('What is in the graph?', { dir, ...model }, io.io);
  return { code, err: io.err() };
}

describe('pawl run with an MCP server of the folder', () => {
  it('uses its tools once the folder is trusted and they are approved, and saves both decisions', async () => {
    const first = await runMcpGoal(captureTerminalIo('y'));
    expect(first.err).toContain('Trust it?');
    expect(first.err).toContain('offers tools that you have not approved');
    expect(first.code).toBe(0);
    expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('entities');
    server.asked.length = 0;
    const second = await runMcpGoal(captureIo());
    expect(second.err).not.toContain('not approved');
    expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('entities');
  });

  it('omits it without approval', async () => {
    const { err } = await runMcpGoal(captureIo());
    expect(err).toContain('is not trusted and was ignored');
    expect(JSON.stringify(server.asked[0])).not.toContain('mem__read_graph');
  });

  it('asks again when the configuration has changed by one character', async () => {
    const path = join(folder, 'project', 'pawl.config.json');
    expect(await trustFolder(join(folder, 'project'), {}, captureIo().io)).toBe(0);
    expect((await runMcpGoal(captureIo())).err).toContain('not approved and therefore not available');
    await writeFile(path, `${JSON.stringify({ mcpServers: {} })} `);
    expect((await runMcpGoal(captureIo())).err).toContain('is not trusted and was ignored');
  });
});
