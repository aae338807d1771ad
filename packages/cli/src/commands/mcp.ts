import { once } from 'node:events';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import manifest from '../../package.json' with { type: 'json' };
import { makeFolderFor, storageFileFor } from '../data-folder.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { createMcpServer } from '../mcp-server/server.ts';
import { visibleLine } from '../visible.ts';
import { openStorage } from './memory-source.ts';
import { folderNamed } from '../folder-option.ts';

export type McpFlags = {
  readonly dir: string;
  readonly storage?: string | undefined;
  readonly signal: AbortSignal;
};

/** Serves one client on standard input and output, until it leaves. */
export async function mcp({ dir, storage: named, signal }: McpFlags, io: Io): Promise<ExitCode> {
  const file = named ?? storageFileFor(await folderNamed(dir));
  makeFolderFor(file);
  const storage = openStorage(file);
  const left = Promise.race([once(io.stdin, 'end'), once(io.stdin, 'close'), aborted(signal)]);
  const serving = serveStdio(() => createMcpServer({ version: manifest.version, storage, now: Date.now }), {
    transport: new StdioServerTransport(io.stdin, io.stdout),
    onerror: (error) => void io.stderr.write(`pawl mcp: ${visibleLine(error.message)}\n`),
  });
  try {
    await left;
    return exitCodes.finished;
  } finally {
    await serving.close();
    await storage.close();
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
