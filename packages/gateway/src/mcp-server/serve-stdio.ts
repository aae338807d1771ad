import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, type McpServerOptions } from './server.ts';

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
