import { isUtf8 } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { FileEffect } from '@pawl/core';
import { openFile, stampOf } from '../search/text-file.ts';
import { codeOf } from '../search/system-error.ts';
import { holdFolder } from './held-folder.ts';

/** A text larger than this is data; people and models write less. */
export const textBytesMax = 5 * 1024 * 1024;

export type WorkspaceText = {
  readonly text: string;
  readonly bytes: number;
  readonly hash: string;
  readonly version: string;
};

export type TextRead =
  | ({ readonly kind: 'text' } & WorkspaceText)
  | { readonly kind: 'missing' | 'binary' | 'too-large' };

/** Opens a regular file at a real path below the root; no link on the way is followed. */
export async function openBelow(root: string, realPath: string): Promise<FileHandle> {
  const { folder, name } = placeOf(root, realPath);
  await using held = await holdFolder(root, folder);
  // Waited for here, while the folder is still held.
  return await openFile(held.at(name));
}

/** The whole text of a file, to the letter: a byte order mark and the ends of lines are part of it. */
export async function readText(root: string, realPath: string): Promise<TextRead> {
  try {
    await using file = await openBelow(root, realPath);
    const status = await file.stat({ bigint: true });
    if (status.size > textBytesMax) return { kind: 'too-large' };
    const bytes = await file.readFile();
    // It may have grown in the meantime.
    if (bytes.length > textBytesMax) return { kind: 'too-large' };
    if (bytes.includes(0) || !isUtf8(bytes)) return { kind: 'binary' };
    return {
      kind: 'text',
      text: bytes.toString('utf8'),
      bytes: bytes.length,
      hash: hashOf(bytes),
      version: stampOf(status),
    };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'missing' };
    throw error;
  }
}

export type Replacement = {
  readonly realPath: string;
  readonly text: string;
  /** The version that is to be replaced, null for none; when another is there, the error has the code `ESTALE`. */
  readonly expected: string | null;
  /** Names the change, so that what is left of it if the process ends in the middle can be found. */
  readonly change?: string | undefined;
};

/**
 * Replaces a file by a text, or makes it, with the folders on the way. There is the old content or the
 * new at any moment, even when the power fails. Other names of the same file (hard links) keep the old content.
 */
export async function replaceText(
  root: string,
  { realPath, text, expected, change = randomBytes(9).toString('hex') }: Replacement,
): Promise<{ readonly effect: FileEffect; readonly version: string }> {
  const { folder, name } = placeOf(root, realPath);
  await using held = await holdFolder(root, folder, true);
  const temporary = held.at(temporaryName(change));
  const bytes = Buffer.from(text, 'utf8');
  const before = await statusAt(held.at(name));
  try {
    await writeAnew(temporary, bytes, before?.mode ?? null);
    const now = await statusAt(held.at(name));
    if ((now?.version ?? null) !== expected) throw new NotReplaceable('ESTALE');
    await rename(temporary, held.at(name));
    await held.sync();
    const after = await statusAt(held.at(name));
    const path = [...folder, name].join('/');
    return { effect: { path, hash: hashOf(bytes) }, version: after?.version ?? '' };
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes what a change has left that was cut off in the middle. */
export async function clearTemporary(root: string, realPath: string, change: string): Promise<void> {
  const { folder } = placeOf(root, realPath);
  try {
    await using held = await holdFolder(root, folder);
    await rm(held.at(temporaryName(change)), { force: true });
  } catch (error) {
    // The folder was to be made by the change, and was not.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function temporaryName(change: string): string {
  return `.pawl-${change}.tmp`;
}

type Status = { readonly mode: number; readonly version: string };

/** The rights and the version of a file, or null when there is none. What is no file is not replaced. */
async function statusAt(path: string): Promise<Status | null> {
  try {
    const status = await lstat(path, { bigint: true });
    if (!status.isFile()) throw new NotReplaceable(status.isDirectory() ? 'EISDIR' : 'EFTYPE');
    return { mode: Number(status.mode) & 0o777, version: stampOf(status) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

async function writeAnew(path: string, bytes: Buffer, mode: number | null): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  await using file = await open(path, flags);
  await file.writeFile(bytes);
  if (mode !== null) await file.chmod(mode);
  await file.sync();
}

/** Has a code as the system's own errors do. */
class NotReplaceable extends Error {
  readonly code: 'EISDIR' | 'EFTYPE' | 'ESTALE';

  constructor(code: 'EISDIR' | 'EFTYPE' | 'ESTALE') {
    super('This cannot be replaced.');
    this.code = code;
  }
}

function placeOf(
  root: string,
  realPath: string,
): { readonly folder: readonly string[]; readonly name: string } {
  const names = relative(root, realPath).split(sep);
  return { folder: names.slice(0, -1), name: names.at(-1) ?? '' };
}

export function hashOf(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
