import { statSync } from 'node:fs';
import { systemClock, type RuntimeClock } from '../platform/clock.ts';
import { createMemoryApprovalStore, type ApprovalStore } from './approvals.ts';
import { McpConnection } from './connection.ts';
import {
  McpError,
  mcpLimits,
  findUrlProblem,
  isServerName,
  serverNameChars,
  type McpLimits,
  type McpServer,
} from './mcp-server.ts';

export type McpOptions = {
  /** Where approvals are stored; by default in memory, for the lifetime of the connection. */
  readonly approvals?: ApprovalStore;
  /**
   * Handling of tools without any approved version: `ask` (default) suspends them until `approve` is called; `approve`
   * approves them in their current version. Changed tools are suspended either way.
   */
  readonly newTools?: 'ask' | 'approve';
  readonly limits?: Partial<McpLimits>;
  readonly clock?: RuntimeClock;
  /** Cancels connecting. Has no effect once connected; use `close` then. */
  readonly signal?: AbortSignal;
};

/** Starts or connects to an MCP server and lists its tools. Throws an `McpError` if it cannot be used. */
export async function connectMcpServer(server: McpServer, options: McpOptions = {}): Promise<McpConnection> {
  validateServer(server);
  const { approvals = createMemoryApprovalStore(), newTools = 'ask', clock = systemClock } = options;
  const limits = { ...mcpLimits, ...options.limits };
  const { signal = new AbortController().signal } = options;
  return McpConnection.open(server, { approvals, newTools, clock, limits }, signal);
}

export type McpConnections = {
  readonly connections: readonly McpConnection[];
  /** Errors of the servers that cannot be used; the other servers still work. */
  readonly failures: readonly McpError[];
};

/** Connects to several servers in parallel. */
export async function connectMcpServers(
  servers: readonly McpServer[],
  options: McpOptions = {},
): Promise<McpConnections> {
  const names = servers.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined)
    throw createServerError(duplicate, 'is configured twice. Give each server a unique name.');
  const results = await Promise.all(
    servers.map((server) =>
      connectMcpServer(server, options).catch((error: unknown) => {
        if (error instanceof McpError) return error;
        throw error;
      }),
    ),
  );
  return {
    connections: results.filter((each) => each instanceof McpConnection),
    failures: results.filter((each) => each instanceof McpError),
  };
}

function validateServer(server: McpServer): void {
  const { name } = server;
  if (!isServerName(name))
    throw createServerError(
      name,
      `has an invalid name: use up to ${serverNameChars} letters and digits, with single - or _ between them.`,
    );
  if ('url' in server) {
    const problem = findUrlProblem(server.url);
    if (problem !== null) throw createServerError(name, problem);
    return;
  }
  const { command, args = [], cwd } = server;
  if (command === '' || command.startsWith('-'))
    throw createServerError(name, 'has no command. Set command to the program that starts it.');
  if ([command, ...args].some((argument) => argument.includes('\0')))
    throw createServerError(name, 'has a NUL character in its command. Remove it.');
  if (cwd !== undefined && statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw createServerError(name, `has a cwd that is not a folder: ${JSON.stringify(cwd)}. Correct it.`);
}

function createServerError(name: string, problem: string): McpError {
  return new McpError('bad-server', `The MCP server ${JSON.stringify(name)} ${problem}`);
}
