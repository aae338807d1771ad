import { upgradeToolResult } from '@pawl/core/upgrade';
import { appendFileSync, mkdirSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile, syncFolder, getSystemErrorCode } from '../platform/files.ts';
import type { ToolResult } from '../tools/tool.ts';

/**
 * Holds results and output of a session's calls until the log contains them, so that neither a result that arrived just
 * before a crash nor the partial output of an interrupted call is lost.
 */
export type ExecutionSpool = {
  /** Contract: once this resolves, `find` returns the result, even after a power loss. */
  saveResult(execution: string, result: ToolResult): Promise<void>;
  /** Records output of a call, up to `spoolOutputBytesMax`. */
  appendOutput(execution: string, chunk: Uint8Array): void;
  find(execution: string): Promise<SpooledExecution>;
  remove(execution: string): Promise<void>;
  /** Removes all other executions: a process may have crashed after the log had a result but before `remove`. */
  retainOnly(executions: readonly string[]): Promise<void>;
};

export type SpooledExecution = { readonly result: ToolResult | null; readonly output: string | null };

/** Enough output for a model to see how far a call got. */
export const spoolOutputBytesMax = 20_000;

/** Creates a spool for agents whose log does not outlive the process either. */
export function createMemorySpool(): ExecutionSpool {
  const results = new Map<string, ToolResult>();
  const outputs = new Map<string, Buffer>();
  return {
    async saveResult(execution, result) {
      results.set(execution, result);
    },
    appendOutput(execution, chunk) {
      const before = outputs.get(execution) ?? Buffer.alloc(0);
      if (before.length >= spoolOutputBytesMax) return;
      outputs.set(execution, Buffer.concat([before, chunk]).subarray(0, spoolOutputBytesMax));
    },
    async find(execution) {
      return {
        result: results.get(execution) ?? null,
        output: outputs.get(execution)?.toString('utf8') ?? null,
      };
    },
    async remove(execution) {
      results.delete(execution);
      outputs.delete(execution);
    },
    async retainOnly(executions) {
      for (const entries of [results, outputs])
        for (const id of entries.keys()) if (!executions.includes(id)) entries.delete(id);
    },
  };
}

/**
 * Creates a spool in its own folder with two files per call: its output and its result. The folder is created on first
 * use.
 */
export function createFileSpool(folder: string): ExecutionSpool {
  const outputBytes = new Map<string, number>();
  const getPath = (execution: string, extension: string): string =>
    join(folder, `${toSpoolFileName(execution)}.${extension}`);
  return {
    async saveResult(execution, result) {
      await createDurableFolder(folder);
      await writeResult(getPath(execution, 'result'), JSON.stringify(result));
    },
    appendOutput(execution, chunk) {
      const bytes = outputBytes.get(execution) ?? 0;
      if (bytes >= spoolOutputBytesMax) return;
      outputBytes.set(execution, bytes + chunk.length);
      try {
        // Synchronous, so that output written before the process is killed is not lost.
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        appendFileSync(getPath(execution, 'output'), chunk.subarray(0, spoolOutputBytesMax - bytes), {
          mode: 0o600,
        });
      } catch {
        // Best effort: spooled output only adds detail to an interrupted call.
      }
    },
    async find(execution) {
      const [result, output] = await Promise.all([
        readOptionalFile(getPath(execution, 'result')),
        readOptionalFile(getPath(execution, 'output')),
      ]);
      return { result: result === null ? null : upgradeToolResult(JSON.parse(result) as ToolResult), output };
    },
    async remove(execution) {
      outputBytes.delete(execution);
      await Promise.all(
        ['result', 'result.tmp', 'output'].map((extension) =>
          rm(getPath(execution, extension), { force: true }),
        ),
      );
    },
    async retainOnly(executions) {
      const names = await readdir(folder).catch(() => []);
      const obsolete = names.filter((name) => !executions.includes(name.split('.', 1)[0] ?? ''));
      await Promise.all(obsolete.map((name) => rm(join(folder, name), { force: true })));
      // Remove the folder if nothing is left in it.
      if (obsolete.length === names.length) await rmdir(folder).catch(() => undefined);
    },
  };
}

/** A new folder survives a power loss only once its parent has been synced. */
async function createDurableFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let created = folder; created.length >= first.length; created = dirname(created)) {
    await syncFolder(dirname(created));
  }
}

/** Prevents path traversal, even though execution ids are generated. */
function toSpoolFileName(execution: string): string {
  if (!/^[\w-]{1,100}$/.test(execution))
    throw new TypeError(`Invalid execution id: ${JSON.stringify(execution)}`);
  return execution;
}

/** Writes atomically and durably. */
async function writeResult(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  {
    await using file = await open(temporary, 'w', 0o600);
    await file.writeFile(text);
    await file.sync();
  }
  await replaceFile(temporary, path);
  await syncFolder(dirname(path));
}

async function readOptionalFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (getSystemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
