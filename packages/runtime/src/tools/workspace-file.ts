import type { FileEffect } from '@pawl/core';
import { isUtf8 } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { lstat, rm, type FileHandle, mkdir } from 'node:fs/promises';
import { relative, sep, join } from 'node:path';
import {
  hasFileModes,
  openFlags,
  openRefusingLinks,
  replaceFile,
  getSystemErrorCode,
  canSyncFolders,
} from '../platform/files.ts';
import { openRegularFile, formatFileStamp } from '../search/text-file.ts';

/** Larger files are treated as data, not as text to edit. */
export const textBytesMax = 5 * 1024 * 1024;

export type WorkspaceText = {
  readonly text: string;
  readonly bytes: number;
  readonly hash: string;
  readonly version: string;
};

export type ReadTextResult =
  | ({ readonly kind: 'text' } & WorkspaceText)
  | { readonly kind: 'missing' | 'binary' | 'too-large' };

/** Opens a regular file at a real path below the root without following links. */
export async function openWorkspaceFile(root: string, realPath: string): Promise<FileHandle> {
  const { folder, name } = splitRealPath(root, realPath);
  await using handle = await openFolderHandle(root, folder);
  // Await here, while the folder is still open.
  return await openRegularFile(handle.at(name));
}

/** Reads the exact text of a file, including a byte order mark and line endings. */
export async function readWorkspaceText(root: string, realPath: string): Promise<ReadTextResult> {
  try {
    await using file = await openWorkspaceFile(root, realPath);
    const status = await file.stat({ bigint: true });
    if (status.size > textBytesMax) return { kind: 'too-large' };
    const bytes = await file.readFile();
    // The file may have grown since the check.
    if (bytes.length > textBytesMax) return { kind: 'too-large' };
    if (bytes.includes(0) || !isUtf8(bytes)) return { kind: 'binary' };
    return {
      kind: 'text',
      text: bytes.toString('utf8'),
      bytes: bytes.length,
      hash: hashContent(bytes),
      version: formatFileStamp(status),
    };
  } catch (error) {
    if (getSystemErrorCode(error) === 'ENOENT') return { kind: 'missing' };
    throw error;
  }
}

export type TextReplacement = {
  readonly realPath: string;
  readonly text: string;
  /** The version to replace, null for a new file; if another version is found, the error code is `ESTALE`. */
  readonly expected: string | null;
  /** Identifies the change, so that its temporary file can be found if the process ends midway. */
  readonly change?: string | undefined;
};

/**
 * Atomically replaces or creates a file and its parent folders: at any moment, even after a power loss, the file has
 * either the old or the new content. Other hard links to the file keep the old content.
 */
export async function replaceWorkspaceText(
  root: string,
  { realPath, text, expected, change = randomBytes(9).toString('hex') }: TextReplacement,
): Promise<{ readonly effect: FileEffect; readonly version: string }> {
  const { folder, name } = splitRealPath(root, realPath);
  await using handle = await openFolderHandle(root, folder, true);
  const temporary = handle.at(getTemporaryName(change));
  const bytes = Buffer.from(text, 'utf8');
  const before = await readFileStatus(handle.at(name));
  try {
    await writeNewFile(temporary, bytes, before?.mode ?? null);
    const now = await readFileStatus(handle.at(name));
    if ((now?.version ?? null) !== expected) throw new NotReplaceableError('ESTALE');
    await replaceFile(temporary, handle.at(name));
    await handle.sync();
    const after = await readFileStatus(handle.at(name));
    const path = [...folder, name].join('/');
    return { effect: { path, hash: hashContent(bytes) }, version: after?.version ?? '' };
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes the temporary file of an interrupted change. */
export async function removeTemporaryFile(root: string, realPath: string, change: string): Promise<void> {
  const { folder } = splitRealPath(root, realPath);
  try {
    await using handle = await openFolderHandle(root, folder);
    await rm(handle.at(getTemporaryName(change)), { force: true });
  } catch (error) {
    // The interrupted change had not created the folder yet.
    if (getSystemErrorCode(error) !== 'ENOENT') throw error;
  }
}

function getTemporaryName(change: string): string {
  return `.pawl-${change}.tmp`;
}

type FileStatus = { readonly mode: number; readonly version: string };

/** Returns the mode and version of a file, or null if it does not exist. Throws if the path is not a regular file. */
async function readFileStatus(path: string): Promise<FileStatus | null> {
  try {
    const status = await lstat(path, { bigint: true });
    if (!status.isFile()) throw new NotReplaceableError(status.isDirectory() ? 'EISDIR' : 'EFTYPE');
    return { mode: Number(status.mode) & 0o777, version: formatFileStamp(status) };
  } catch (error) {
    if (getSystemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function writeNewFile(path: string, bytes: Buffer, mode: number | null): Promise<void> {
  await using file = await openRefusingLinks(path, openFlags.createNew);
  await file.writeFile(bytes);
  // On Windows a read-only file could not be moved into place.
  if (mode !== null && hasFileModes()) await file.chmod(mode);
  await file.sync();
}

/** Carries a code like the system's own errors. */
class NotReplaceableError extends Error {
  readonly code: 'EISDIR' | 'EFTYPE' | 'ESTALE';

  constructor(code: 'EISDIR' | 'EFTYPE' | 'ESTALE') {
    super('This cannot be replaced.');
    this.code = code;
  }
}

function splitRealPath(
  root: string,
  realPath: string,
): { readonly folder: readonly string[]; readonly name: string } {
  const names = relative(root, realPath).split(sep);
  return { folder: names.slice(0, -1), name: names.at(-1) ?? '' };
}

export function hashContent(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * An open folder. Operations on `at(name)` act on this very folder, even if its path or a parent folder is replaced in
 * the meantime.
 */
export type FolderHandle = {
  at(name: string): string;
  /** Makes changes in the folder survive a power loss. */
  sync(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const folderFlags = openFlags.read | openFlags.folder;

/**
 * Descends from the root folder by folder without following links. `names` come from a real path, so a link on the way
 * was created after the path was resolved; the error code is then `ELOOP` or `ENOTDIR`.
 */
export async function openFolderHandle(
  root: string,
  names: readonly string[],
  create = false,
): Promise<FolderHandle> {
  let path = root;
  let handle = await openRefusingLinks(root, folderFlags);
  try {
    for (const name of names) {
      const below = getHandlePath(handle, path, name);
      if (create) await makeSyncedFolder(below, handle);
      const next = await openFolder(below);
      await handle.close();
      handle = next;
      path = join(path, name);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    at: (name) => getHandlePath(handle, path, name),
    sync: () => syncHandle(handle),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** Linux can address entries relative to an open folder; elsewhere the path is used, which leaves a race window. */
function getHandlePath(folder: FileHandle, path: string, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder.fd}/${name}` : join(path, name);
}

/** A new folder survives a power loss only once its parent folder has been synced. */
async function makeSyncedFolder(path: string, above: FileHandle): Promise<void> {
  try {
    await mkdir(path);
    await syncHandle(above);
  } catch (error) {
    ignoreExisting(error);
  }
}

/** Windows has no flag that opens only folders, so check the type after opening. */
async function openFolder(path: string): Promise<FileHandle> {
  const handle = await openRefusingLinks(path, folderFlags);
  if (openFlags.folder !== 0 || (await handle.stat()).isDirectory()) return handle;
  await handle.close();
  throw new NotAFolderError(path);
}

/** Carries a code like the system's own errors. */
class NotAFolderError extends Error {
  readonly code = 'ENOTDIR';

  constructor(path: string) {
    super(`This is not a folder: ${path}`);
  }
}

async function syncHandle(folder: FileHandle): Promise<void> {
  if (canSyncFolders()) await folder.sync();
}

function ignoreExisting(error: unknown): void {
  if (getSystemErrorCode(error) !== 'EEXIST') throw error;
}
