import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../search/system-error.ts';
import { userConfigFolder } from '../config/find-config.ts';
import { TrustError } from './trust-error.ts';

/** What a folder wants to take effect: the names of its files, and the very text that would be used. */
export type TrustedContents = { readonly [file: string]: string };

/**
 * What the user has agreed to, folder by folder. Trust is in exactly this content of exactly this folder: one character
 * more, a file more, and the folder is untrusted again. Whoever asks must then use the very text it asked about.
 */
export type TrustStore = {
  isTrusted(folder: string, contents: TrustedContents): Promise<boolean>;
  trust(folder: string, contents: TrustedContents): Promise<void>;
  /** Resolves to whether there was anything to revoke. */
  revoke(folder: string): Promise<boolean>;
};

/** Keeps one small file for each folder, so that two who trust at the same time do not undo each other. */
export function trustStore(path: string = join(userConfigFolder(), 'trust')): TrustStore {
  return {
    async isTrusted(folder, contents) {
      const record = await recordOf(folder, contents);
      return (await read(path, record.name)) === record.text;
    },
    async trust(folder, contents) {
      const { name, text } = await recordOf(folder, contents);
      await write(path, name, text);
    },
    async revoke(folder) {
      // A folder that is gone may still be trusted for when it comes back.
      const real = await realpath(folder).catch(() => folder);
      return remove(join(path, nameOf(real)));
    },
  };
}

type Record = { readonly name: string; readonly text: string };

async function recordOf(folder: string, contents: TrustedContents): Promise<Record> {
  const real = await realpath(folder).catch((error: unknown) => {
    throw new TrustError('missing', folder, error);
  });
  // JSON tells even halves of characters apart, which UTF-8 alone would not.
  const sorted = Object.entries(contents).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const sha256 = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
  return { name: nameOf(real), text: `${JSON.stringify({ folder: real, sha256 })}\n` };
}

function nameOf(folder: string): string {
  return `${createHash('sha256').update(JSON.stringify(folder)).digest('hex')}.json`;
}

/** No record of ours is longer than this. */
const bytesMax = 64 * 1024;
/** A pipe that nobody writes to would otherwise be waited for. */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK;

/** The record, or null where there is none. One that others could have written is an error. */
async function read(path: string, name: string): Promise<string | null> {
  const file = await open(join(path, name), openFlags).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw new TrustError('unreadable', join(path, name), error);
  });
  if (file === null) return null;
  await using opened = file;
  const facts = await opened.stat();
  if (!isOurs(facts) || !isOurs(await stat(path))) throw new TrustError('unsafe', join(path, name));
  if (!facts.isFile() || facts.size > bytesMax) return null;
  return opened.readFile('utf8');
}

function isOurs({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  const self = process.getuid?.();
  return self === undefined || (uid === self && (mode & 0o022) === 0);
}

/** Whole or not at all, for the owner's eyes only, and on the disk before anybody relies on it. */
async function write(path: string, name: string, text: string): Promise<void> {
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
    await rename(temporary, join(path, name));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new TrustError('unwritable', path, error);
  }
}

async function remove(file: string): Promise<boolean> {
  try {
    await rm(file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw new TrustError('unwritable', file, error);
  }
}
