import { appendFileSync, mkdirSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../search/system-error.ts';
import type { ToolResult } from '../tools/tool.ts';
import { outputBytesMax, type Spool } from './spool.ts';

/**
 * A spool in a folder of its own, two files for each call: what it wrote, and how it ended. The folder is made when it is
 * needed.
 */
export function createFileSpool(folder: string): Spool {
  const heard = new Map<string, number>();
  const at = (execution: string, ending: string): string => join(folder, `${fileName(execution)}.${ending}`);
  return {
    async keep(execution, result) {
      await makeFolder(folder);
      await replaceFile(at(execution, 'result'), JSON.stringify(result));
    },
    hear(execution, chunk) {
      const bytes = heard.get(execution) ?? 0;
      if (bytes >= outputBytesMax) return;
      heard.set(execution, bytes + chunk.length);
      try {
        // Synchronous: what was written by the time the process is killed is not lost with it.
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        appendFileSync(at(execution, 'output'), chunk.subarray(0, outputBytesMax - bytes), { mode: 0o600 });
      } catch {
        // It only helps to say more about a call that was cut off; the call itself goes on.
      }
    },
    async find(execution) {
      const [result, output] = await Promise.all([
        readIfThere(at(execution, 'result')),
        readIfThere(at(execution, 'output')),
      ]);
      return { result: result === null ? null : (JSON.parse(result) as ToolResult), output };
    },
    async forget(execution) {
      heard.delete(execution);
      await Promise.all(
        ['result', 'result.tmp', 'output'].map((ending) => rm(at(execution, ending), { force: true })),
      );
    },
    async keepOnly(executions) {
      const names = await readdir(folder).catch(() => []);
      const unwanted = names.filter((name) => !executions.includes(name.split('.', 1)[0] ?? ''));
      await Promise.all(unwanted.map((name) => rm(join(folder, name), { force: true })));
      // Nobody needs an empty folder; one that is not empty stays.
      if (unwanted.length === names.length) await rmdir(folder).catch(() => undefined);
    },
  };
}

/** A new folder survives the loss of power only once the one above it has been synced. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    await using above = await open(dirname(made), 'r');
    await above.sync();
  }
}

/** We make the ids of executions. Whoever made this one, no path that leads elsewhere may come of it. */
function fileName(execution: string): string {
  if (!/^[\w-]{1,100}$/.test(execution))
    throw new TypeError(`Not the id of an execution: ${JSON.stringify(execution)}`);
  return execution;
}

/** All of it or nothing, and there after the loss of power. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  {
    await using file = await open(temporary, 'w', 0o600);
    await file.writeFile(text);
    await file.sync();
  }
  await rename(temporary, path);
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
