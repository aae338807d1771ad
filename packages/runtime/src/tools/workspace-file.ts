import { isUtf8 } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { openFile } from '../search/text-file.ts';
import { codeOf } from '../search/system-error.ts';
import { holdFolder, type HeldFolder } from './held-folder.ts';

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
  return openFile(held.at(name));
}

/** The whole text of a file, to the letter: a byte order mark and the ends of lines are part of it. */
export async function readText(root: string, realPath: string): Promise<TextRead> {
  try {
    await using file = await openBelow(root, realPath);
    const status = await file.stat({ bigint: true });
    if (status.size > textBytesMax) return { kind: 'too-large' };
    const bytes = await file.readFile();
    if (bytes.includes(0) || !isUtf8(bytes)) return { kind: 'binary' };
    return {
      kind: 'text',
      text: bytes.toString('utf8'),
      bytes: bytes.length,
      hash: hashOf(bytes),
      version: versionOf(status),
    };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'missing' };
    throw error;
  }
}

/**
 * Puts a text in the place of a file, or where none was, making the folders on the way. There is the old content or the
 * new at any moment, even when the power fails. Other names of the same file (hard links) keep the old content.
 */
export async function replaceText(
  root: string,
  realPath: string,
  text: string,
): Promise<{ readonly hash: string; readonly version: string }> {
  const { folder, name } = placeOf(root, realPath);
  await using held = await holdFolder(root, folder, true);
  const mode = await modeOf(held.at(name));
  const temporary = held.at(`.pawl-${randomBytes(9).toString('hex')}.tmp`);
  try {
    const bytes = Buffer.from(text, 'utf8');
    await writeAnew(temporary, bytes, mode);
    await rename(temporary, held.at(name));
    await held.sync();
    return { hash: hashOf(bytes), version: await versionAt(held, name) };
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Tells whether a file is still the one that was seen. Any write makes it another. */
export function versionOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs}`;
}

async function versionAt(held: HeldFolder, name: string): Promise<string> {
  return versionOf(await lstat(held.at(name), { bigint: true }));
}

async function writeAnew(path: string, bytes: Buffer, mode: number | null): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  await using file = await open(path, flags);
  await file.writeFile(bytes);
  if (mode !== null) await file.chmod(mode);
  await file.sync();
}

/** The rights of the file to be replaced, or null when there is none. What is no file is not replaced. */
async function modeOf(path: string): Promise<number | null> {
  try {
    const status = await lstat(path);
    if (!status.isFile()) throw new NotReplaceable(status.isDirectory());
    return status.mode & 0o777;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Has a code as the system's own errors do. */
class NotReplaceable extends Error {
  readonly code: 'EISDIR' | 'EFTYPE';

  constructor(isFolder: boolean) {
    super('Only a regular file can be replaced.');
    this.code = isFolder ? 'EISDIR' : 'EFTYPE';
  }
}

function placeOf(root: string, realPath: string): { readonly folder: readonly string[]; readonly name: string } {
  const names = relative(root, realPath).split(sep);
  return { folder: names.slice(0, -1), name: names.at(-1) ?? '' };
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
