import { parseLkjConfig, type LkjConfig, type LkjProfile } from '@pawl/core/lkj';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RuntimeClock } from '../platform/clock.ts';
import { getSystemErrorCode } from '../platform/files.ts';
import { openLkjMemory, type LkjMemoryStore } from './lkj-memory.ts';
import { MemoryFileError } from './memory-file-error.ts';

/** An agent's folder in the LKJAgent layout: an optional `data/config.json`, and `data/memory.json`. */
export type LkjFolder = { readonly config: LkjConfig; readonly store: LkjMemoryStore };

/** Reads the configuration of an LKJAgent folder and opens its memory document. */
export async function openLkjFolder(
  folder: string,
  profile: LkjProfile,
  clock: Pick<RuntimeClock, 'now'>,
): Promise<LkjFolder> {
  const config = await readLkjConfigFile(join(folder, 'data', 'config.json'), profile);
  const path = join(folder, 'data', 'memory.json');
  return { config, store: await openLkjMemory({ path, profile, settings: config.memory, clock }) };
}

/** An invalid file is neither modified nor ignored; the error describes the problem. */
async function readLkjConfigFile(path: string, profile: LkjProfile): Promise<LkjConfig> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (getSystemErrorCode(error) === 'ENOENT') return '{}';
    throw new MemoryFileError('unreadable', path, error);
  });
  try {
    return parseLkjConfig(JSON.parse(text), profile);
  } catch (error) {
    throw new MemoryFileError('wrong', path, error);
  }
}
