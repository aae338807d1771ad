import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openFlags, replaceFile, getSystemErrorCode } from '../platform/files.ts';
import { getUserConfigFolder } from '../platform/data-folder.ts';

/** The contents of a folder that need trust: file names and the exact text that would be used. */
export type TrustedContents = { readonly [file: string]: string };

/**
 * The user's trust decisions by folder. Trust applies to exactly this content of this folder: any change or additional
 * file makes the folder untrusted again. The caller must use the very text that it checked.
 */
export type TrustStore = {
  isTrusted(folder: string, contents: TrustedContents): Promise<boolean>;
  trust(folder: string, contents: TrustedContents): Promise<void>;
  /** Resolves to true if there was a record to revoke. */
  revoke(folder: string): Promise<boolean>;
};

/** Stores one small file per folder, so that concurrent decisions do not overwrite each other. */
export function createTrustStore(path: string = join(getUserConfigFolder(), 'trust')): TrustStore {
  return {
    async isTrusted(folder, contents) {
      const record = await buildTrustRecord(folder, contents);
      return (await readTrustRecord(path, record.name)) === record.text;
    },
    async trust(folder, contents) {
      const { name, text } = await buildTrustRecord(folder, contents);
      await writeTrustRecord(path, name, text);
    },
    async revoke(folder) {
      // A folder that no longer exists may still have a record.
      const real = await realpath(folder).catch(() => folder);
      return removeTrustRecord(join(path, getRecordName(real)));
    },
  };
}

type TrustRecord = { readonly name: string; readonly text: string };

async function buildTrustRecord(folder: string, contents: TrustedContents): Promise<TrustRecord> {
  const real = await realpath(folder).catch((error: unknown) => {
    throw new TrustError('missing', folder, error);
  });
  // JSON distinguishes lone surrogates, which UTF-8 alone would not.
  const sorted = Object.entries(contents).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const sha256 = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
  return { name: getRecordName(real), text: `${JSON.stringify({ folder: real, sha256 })}\n` };
}

function getRecordName(folder: string): string {
  return `${createHash('sha256').update(JSON.stringify(folder)).digest('hex')}.json`;
}

/** No trust record is longer than this. */
const trustRecordBytesMax = 64 * 1024;
/** Avoids blocking on a pipe without a writer. */
const nonBlockingReadFlags = openFlags.read | openFlags.nonBlocking;

/** Returns the record, or null if there is none. Throws if other users could have written it. */
async function readTrustRecord(path: string, name: string): Promise<string | null> {
  const file = await open(join(path, name), nonBlockingReadFlags).catch((error: unknown) => {
    if (getSystemErrorCode(error) === 'ENOENT') return null;
    throw new TrustError('unreadable', join(path, name), error);
  });
  if (file === null) return null;
  await using opened = file;
  const status = await opened.stat();
  if (!isOwnedFile(status) || !isOwnedFile(await stat(path)))
    throw new TrustError('unsafe', join(path, name));
  if (!status.isFile() || status.size > trustRecordBytesMax) return null;
  return opened.readFile('utf8');
}

function isOwnedFile({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  const self = process.getuid?.();
  return self === undefined || (uid === self && (mode & 0o022) === 0);
}

/** Writes the record atomically, readable only by its owner, and flushes it to disk. */
async function writeTrustRecord(path: string, name: string, text: string): Promise<void> {
  const temporary = join(path, `.${name}.${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await replaceFile(temporary, join(path, name));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new TrustError('unwritable', path, error);
  }
}

async function removeTrustRecord(file: string): Promise<boolean> {
  try {
    await rm(file);
    return true;
  } catch (error) {
    if (getSystemErrorCode(error) === 'ENOENT') return false;
    throw new TrustError('unwritable', file, error);
  }
}

export type TrustErrorCode = 'missing' | 'unsafe' | 'unreadable' | 'unwritable';

/** A trust record cannot be read or written. The message is one line: what, where and what to do. */
export class TrustError extends Error {
  override readonly name = 'TrustError';
  readonly code: TrustErrorCode;
  readonly path: string;

  constructor(code: TrustErrorCode, path: string, cause?: unknown) {
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    super(`${trustErrorText[code]}: ${JSON.stringify(path)}${reason}. ${trustErrorAdvice[code]}`, { cause });
    this.code = code;
    this.path = path;
  }
}

const trustErrorText: Record<TrustErrorCode, string> = {
  missing: 'There is no such folder to trust',
  unsafe: 'Other users can change this trust record',
  unreadable: 'The trust record cannot be read',
  unwritable: 'The trust record cannot be written',
};

const trustErrorAdvice: Record<TrustErrorCode, string> = {
  missing: 'Check the spelling.',
  unsafe: 'Make it writable only by you, with chmod go-w, or remove it.',
  unreadable: 'Give yourself permission to read it, or remove it.',
  unwritable: 'Free some disk space, or give yourself permission to write there.',
};
