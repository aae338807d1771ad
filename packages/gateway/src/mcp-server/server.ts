import { McpServer } from '@modelcontextprotocol/server';
import type { EntryStorage } from '@pawl/runtime/storage';
import { registerGovernorTools, createTrackerLookup, registerMemoryTools } from './tools.ts';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';

export type McpServerOptions = {
  readonly version: string;
  readonly storage: EntryStorage;
  readonly now: () => number;
};

/** Creates an MCP server that offers the governor and a memory as tools. */
export function createMcpServer({ version, storage, now }: McpServerOptions): McpServer {
  const server = new McpServer(
    { name: 'pawl', version },
    {
      instructions:
        'Report each of your tool calls with observe and follow its advice: it detects when the work is stuck in a loop. ' +
        'Use remember, recall and search for information that should outlast this conversation.',
    },
  );
  registerGovernorTools(server, createTrackerLookup(now));
  registerMemoryTools(server, storage, now);
  return server;
}

export type ServeMcpOptions = McpServerOptions & {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly onError: (error: Error) => void;
  /** Aborted to stop serving. */
  readonly signal: AbortSignal;
};

/** Serves one client on standard input and output until it disconnects or the signal is aborted. */
export async function serveMcpOverStdio({
  stdin,
  stdout,
  onError,
  signal,
  ...options
}: ServeMcpOptions): Promise<void> {
  const disconnected = Promise.race([once(stdin, 'end'), once(stdin, 'close'), waitForAbort(signal)]);
  const server = serveStdio(() => createMcpServer(options), {
    transport: new StdioServerTransport(stdin, stdout),
    onerror: onError,
  });
  try {
    await disconnected;
  } finally {
    await server.close();
  }
}

async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
