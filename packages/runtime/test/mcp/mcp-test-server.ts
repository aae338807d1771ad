import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '@pawl/core';
import { afterAll, afterEach } from 'vitest';
import { connectMcpServer, type McpOptions } from '../../src/mcp/connect-mcp.ts';
import type { McpConnection } from '../../src/mcp/connection.ts';
import { McpError, type McpServer } from '../../src/mcp/mcp-server.ts';
import type { ToolResult } from '../../src/tools/tool.ts';

const fixtureScript = fileURLToPath(new URL('fixtures/server.ts', import.meta.url));

/** Connections that a test opens and that are closed after it, and a folder of its own. */
export function createMcpTestServer(): McpTestServer {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-mcp-'));
  const opened: McpConnection[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const connect = async (server: McpServer, options?: McpOptions): Promise<McpConnection> => {
    const connection = await connectMcpServer(server, { newTools: 'approve', ...options });
    opened.push(connection);
    return connection;
  };
  return { folder, connect, behave: (way, options) => connect(createFixtureServer(way, folder), options) };
}

export type McpTestServer = {
  readonly folder: string;
  readonly connect: (server: McpServer, options?: McpOptions) => Promise<McpConnection>;
  /** Connects to the server of the fixture. Its notes are in `notes` of the folder. */
  readonly behave: (way: string, options?: McpOptions) => Promise<McpConnection>;
};

export function createFixtureServer(way: string, folder: string): McpServer {
  return { name: 'bad', command: process.execPath, args: [fixtureScript, way, join(folder, `${way}.notes`)] };
}

export type TestCallOptions = { readonly signal?: AbortSignal; readonly report?: (progress: string) => void };

export function callMcpTool(
  connection: McpConnection,
  name: string,
  args: Json = {},
  { signal = new AbortController().signal, report = () => undefined }: TestCallOptions = {},
): Promise<ToolResult> {
  const tool = connection.tools.find((each) => each.description.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool.run(args, { signal, report });
}

/** What a call that went well came to. */
export async function getCallOutput(result: Promise<ToolResult>): Promise<string> {
  const outcome = await result;
  if (!outcome.ok || typeof outcome.output !== 'string') throw new Error(JSON.stringify(outcome));
  return outcome.output;
}

/** The message of a call that failed, after its kind. */
export async function getCallFailure(result: Promise<ToolResult>): Promise<string> {
  const outcome = await result;
  if (outcome.ok) throw new Error(`It went well: ${JSON.stringify(outcome.output)}`);
  return `${outcome.error.kind}: ${outcome.error.message}`;
}

export async function getMcpError(work: Promise<unknown>): Promise<McpError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof McpError) return error;
    throw error;
  }
  throw new Error('It went well.');
}

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
