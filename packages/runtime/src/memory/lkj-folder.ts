import { readLkjConfig, type LkjConfig, type LkjProfile } from '@pawl/core';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { codeOf } from '../search/system-error.ts';
import { openLkjMemory, type LkjMemoryStore } from './lkj-memory.ts';
import { MemoryFileError } from './memory-file-error.ts';

/** An agent's folder as LKJAgent lays it out: `data/config.json`, which may be missing, and `data/memory.json`. */
export type LkjFolder = { readonly config: LkjConfig; readonly store: LkjMemoryStore };

export async function openLkjFolder(
  folder: string,
  profile: LkjProfile,
  clock: Pick<Clock, 'now'>,
): Promise<LkjFolder> {
  const config = await readConfigFile(join(folder, 'data', 'config.json'), profile);
  const path = join(folder, 'data', 'memory.json');
  return { config, store: await openLkjMemory({ path, profile, settings: config.memory, clock }) };
}

/** A file with a mistake in it is neither changed nor ignored: whoever wrote it is told what is wrong. */
async function readConfigFile(path: string, profile: LkjProfile): Promise<LkjConfig> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '{}';
    throw new MemoryFileError('unreadable', path, error);
  });
  try {
    return readLkjConfig(JSON.parse(text), profile);
  } catch (error) {
    throw new MemoryFileError('wrong', path, error);
  }
}
