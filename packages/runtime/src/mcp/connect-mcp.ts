import { statSync } from 'node:fs';
import { systemClock, type Clock } from '../clock.ts';
import { createApprovals, type Approvals } from './approvals.ts';
import { McpConnection } from './connection.ts';
import { McpError } from './mcp-error.ts';
import { mcpLimits, type McpLimits, type McpServer } from './mcp-server.ts';
import { urlProblem } from './server-url.ts';
import { isServerName, serverNameChars } from './tool-name.ts';

export type McpOptions = {
  /** Where approvals are kept. Without it they last as long as the connection. */
  readonly approvals?: Approvals;
  /**
   * What becomes of a tool that nobody has approved in any version: `ask` (the default) suspends it until `approve` is
   * called, `approve` takes naming the server for approval of what it offers now. A changed tool is suspended either way.
   */
  readonly newTools?: 'ask' | 'approve';
  readonly limits?: Partial<McpLimits>;
  readonly clock?: Clock;
  /** Gives up the start. It means nothing once the server is connected: then there is `close`. */
  readonly signal?: AbortSignal;
};

/** Starts or reaches an MCP server and reads its tools. Throws one `McpError` if it cannot be used. */
export async function connectMcp(server: McpServer, options: McpOptions = {}): Promise<McpConnection> {
  check(server);
  const { approvals = createApprovals(), newTools = 'ask', clock = systemClock } = options;
  const limits = { ...mcpLimits, ...options.limits };
  const { signal = new AbortController().signal } = options;
  return McpConnection.open(server, { approvals, newTools, clock, limits }, signal);
}

export type McpServers = {
  readonly connections: readonly McpConnection[];
  /** Servers that cannot be used. The others work all the same. */
  readonly failures: readonly McpError[];
};

/** Connects to several servers at once. */
export async function connectMcpServers(
  servers: readonly McpServer[],
  options: McpOptions = {},
): Promise<McpServers> {
  const names = servers.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw bad(twice, 'is there twice. Give each server its own name.');
  const results = await Promise.all(
    servers.map((server) =>
      connectMcp(server, options).catch((error: unknown) => {
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

function check(server: McpServer): void {
  const { name } = server;
  if (!isServerName(name))
    throw bad(
      name,
      `has a bad name: up to ${serverNameChars} letters and digits, with single - or _ between them.`,
    );
  if ('url' in server) {
    const problem = urlProblem(server.url);
    if (problem !== null) throw bad(name, problem);
    return;
  }
  const { command, args = [], cwd } = server;
  if (command === '' || command.startsWith('-'))
    throw bad(name, 'has no command. Name the program that starts it.');
  if ([command, ...args].some((word) => word.includes('\0')))
    throw bad(name, 'has a NUL character in its command. Take it out.');
  if (cwd !== undefined && statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw bad(name, `is to start in ${JSON.stringify(cwd)}, which is not a folder. Correct its cwd.`);
}

function bad(name: string, problem: string): McpError {
  return new McpError('bad-server', `The MCP server ${JSON.stringify(name)} ${problem}`);
}
