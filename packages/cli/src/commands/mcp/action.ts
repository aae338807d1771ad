import { once } from 'node:events';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import manifest from '../../../package.json' with { type: 'json' };
import { ensureParentFolder, getStorageFile } from '@pawl/runtime/data-folder';
import { exitCodes, type ExitCode } from '../../exit-codes.ts';
import type { CommandIo } from '../../command-io.ts';
import { createMcpServer } from '../../mcp-server/server.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { openStorageFile } from '../../memory/memory-source.ts';
import { resolveFolder } from '../../options/folder-option.ts';

export type McpCommandOptions = {
  readonly dir: string;
  readonly storage?: string | undefined;
  readonly signal: AbortSignal;
};

/** Serves one client on standard input and output until it disconnects. */
export async function serveMcp(
  { dir, storage: storageFile, signal }: McpCommandOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const file = storageFile ?? getStorageFile(await resolveFolder(dir));
  ensureParentFolder(file);
  const storage = openStorageFile(file);
  const disconnected = Promise.race([
    once(io.stdin, 'end'),
    once(io.stdin, 'close'),
    waitForSignalAbort(signal),
  ]);
  const server = serveStdio(() => createMcpServer({ version: manifest.version, storage, now: Date.now }), {
    transport: new StdioServerTransport(io.stdin, io.stdout),
    onerror: (error) => void io.stderr.write(`pawl mcp: ${sanitizeOneLine(error.message)}\n`),
  });
  try {
    await disconnected;
    return exitCodes.finished;
  } finally {
    await server.close();
    await storage.close();
  }
}

async function waitForSignalAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
