import { serveMcpOverStdio } from '@pawl/gateway/mcp-server';
import { ensureParentFolder, getStorageFile } from '@pawl/runtime/data-folder';
import manifest from '../../../package.json' with { type: 'json' };
import { exitCodes, type ExitCode } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { openStorageFile } from '../../memory/memory-source.ts';
import { resolveFolder } from '../../options/parse-options.ts';

export type McpCommandOptions = {
  readonly dir: string;
  readonly storage?: string | undefined;
  readonly signal: AbortSignal;
};

/** Serves one client on standard input and output until it disconnects. */
export async function serveMcp(
  { dir, storage: storageFile, signal }: McpCommandOptions,
  { stdin, stdout, stderr }: CommandIo,
): Promise<ExitCode> {
  const file = storageFile ?? getStorageFile(await resolveFolder(dir));
  ensureParentFolder(file);
  const storage = openStorageFile(file);
  try {
    await serveMcpOverStdio({
      version: manifest.version,
      storage,
      now: Date.now,
      stdin,
      stdout,
      onError: (error) => void stderr.write(`pawl mcp: ${sanitizeOneLine(error.message)}\n`),
      signal,
    });
    return exitCodes.finished;
  } finally {
    await storage.close();
  }
}
