import { isProcessRunning } from '../platform/processes.ts';
import { copyFile, link, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createSerialRunner } from '../platform/serial-runner.ts';
import { replaceFile, syncFolder, getSystemErrorCode } from '../platform/files.ts';

export type LoadedMemoryFile<Content> = {
  /** Null if there is no usable file. */
  readonly content: Content | null;
  readonly from: 'file' | 'last good' | 'nothing';
  /** What was damaged, and where it was moved. */
  readonly warnings: readonly string[];
};

/**
 * A JSON file that is replaced atomically: a save writes a temporary file, flushes it and renames it. Saves run one
 * after the other. The previous version stays as `.last-good`; a file that cannot be parsed is renamed to `.damaged-1`
 * and so on, never deleted.
 */
export type MemoryFile<Content> = {
  readonly path: string;
  load(): Promise<LoadedMemoryFile<Content>>;
  save(json: unknown): Promise<void>;
};

/** `read` parses the file's JSON and throws if it is invalid. */
export function createMemoryFile<Content>(
  path: string,
  parse: (json: unknown) => Content,
): MemoryFile<Content> {
  const runSerially = createSerialRunner();
  /** Identity of the version last written or read here. */
  let knownIdentity: string | null = null;
  return {
    path,
    load: () =>
      runSerially(async () => {
        const loaded = await loadMemoryFile(path, parse);
        knownIdentity = loaded.from === 'file' ? await getFileIdentity(path) : null;
        return loaded;
      }),
    save: (json) =>
      runSerially(async () => {
        // Only a version written or read here is known to be valid; an external edit may not be.
        const isGood = knownIdentity !== null && knownIdentity === (await getFileIdentity(path));
        await replaceMemoryFile(path, `${JSON.stringify(json, null, 2)}\n`, isGood);
        knownIdentity = await getFileIdentity(path);
      }),
  };
}

async function loadMemoryFile<Content>(
  path: string,
  parse: (json: unknown) => Content,
): Promise<LoadedMemoryFile<Content>> {
  await removeStaleFiles(path);
  const text = await readMemoryText(path);
  if (text === null) return loadLastGood(path, parse, null);
  try {
    return { content: parse(JSON.parse(text)), from: 'file', warnings: [] };
  } catch (error) {
    const quarantinePath = await quarantineFile(path);
    const reason = error instanceof Error ? error.message : String(error);
    return loadLastGood(path, parse, `${path} is damaged (${reason}) and was moved to ${quarantinePath}.`);
  }
}

/** `damage` is null if the file is missing: on first use, or because it was removed. */
async function loadLastGood<Content>(
  path: string,
  parse: (json: unknown) => Content,
  damage: string | null,
): Promise<LoadedMemoryFile<Content>> {
  const lastGood = `${path}.last-good`;
  const text = await readMemoryText(lastGood);
  if (text === null) {
    const warnings = damage === null ? [] : [damage, 'There is no earlier version, so memory starts empty.'];
    return { content: null, from: 'nothing', warnings };
  }
  const cause = damage ?? `${path} is missing.`;
  try {
    const content = parse(JSON.parse(text));
    const next = `Memory was restored from ${lastGood}. Remove that file as well to start empty.`;
    return { content, from: 'last good', warnings: [cause, next] };
  } catch {
    const next = `${lastGood} is damaged as well, so memory starts empty.`;
    return { content: null, from: 'nothing', warnings: [cause, next] };
  }
}

async function readMemoryText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (getSystemErrorCode(error) === 'ENOENT') return null;
    throw new MemoryFileError('unreadable', path, error);
  }
}

async function quarantineFile(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const quarantinePath = `${path}.damaged-${number}`;
    // Linking fails if the name exists, so no quarantined file is ever overwritten.
    const isFree = await link(path, quarantinePath).then(
      () => true,
      (error: unknown) => {
        if (getSystemErrorCode(error) === 'EEXIST') return false;
        throw new MemoryFileError('unwritable', quarantinePath, error);
      },
    );
    if (!isFree) continue;
    await rm(path);
    return quarantinePath;
  }
}

/** Flushes the new file before it replaces the old one, then flushes the rename. */
async function replaceMemoryFile(path: string, text: string, oldIsGood: boolean): Promise<void> {
  const temporary = `${path}.tmp-${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFileDurably(temporary, text);
    if (oldIsGood) await saveLastGood(path);
    await replaceFile(temporary, path);
    // Some file systems cannot flush a folder; there, durability is best effort.
    await syncFolder(dirname(path)).catch(() => undefined);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new MemoryFileError('unwritable', path, error);
  }
}

async function writeFileDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Hard-links the current file as the last good version; copies it if links are not supported. */
async function saveLastGood(path: string): Promise<void> {
  const next = `${path}.tmp-last-good-${process.pid}`;
  await rm(next, { force: true });
  await link(path, next).catch(() => copyFile(path, next));
  await replaceFile(next, `${path}.last-good`);
}

/** Removes temporary files of processes that were killed while saving; files of running processes stay. */
async function removeStaleFiles(path: string): Promise<void> {
  const names = await readdir(dirname(path)).catch(() => []);
  for (const name of names) {
    const pid = name.startsWith(`${basename(path)}.tmp-`) ? Number(/-(\d+)$/.exec(name)?.[1]) : NaN;
    if (Number.isSafeInteger(pid) && !isProcessRunning(pid))
      await rm(join(dirname(path), name), { force: true });
  }
}

/** Returns a value that changes with every version of the file. */
async function getFileIdentity(path: string): Promise<string | null> {
  const stats = await stat(path).catch(() => null);
  return stats === null ? null : `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

export type MemoryFileErrorCode = 'unreadable' | 'unwritable' | 'wrong';

/** A memory file cannot be used. The one-line message gives the problem, the path and the fix. */
export class MemoryFileError extends Error {
  override readonly name = 'MemoryFileError';
  readonly code: MemoryFileErrorCode;
  readonly path: string;

  constructor(code: MemoryFileErrorCode, path: string, cause: unknown) {
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    super(`${memoryFileErrorText[code]}: ${JSON.stringify(path)}${reason}. ${memoryFileErrorAdvice[code]}`, {
      cause,
    });
    this.code = code;
    this.path = path;
  }
}

const memoryFileErrorText: Record<MemoryFileErrorCode, string> = {
  unreadable: 'The memory file cannot be read',
  unwritable: 'The memory file cannot be written',
  wrong: 'The configuration file is invalid',
};

const memoryFileErrorAdvice: Record<MemoryFileErrorCode, string> = {
  unreadable: 'Check its permissions, or use another file.',
  unwritable: 'Check free disk space and folder permissions. The previous version is unchanged.',
  wrong: 'Correct it, or remove the file to use the defaults.',
};
