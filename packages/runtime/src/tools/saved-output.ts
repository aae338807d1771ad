import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { codeOf } from '../search/system-error.ts';
import { holdFolder, type HeldFolder } from './held-folder.ts';

const folder = ['.pawl', 'output'] as const;
const limits = { bytes: 50 * 1024 * 1024, files: 40 } as const;

/** `path` is where the agent can read it, relative to the root. */
export type Saved = { readonly path: string; readonly isWhole: boolean };

export type SavedOutput = {
  add(chunk: Buffer): Promise<void>;
  /** Null when it could not be saved. */
  close(): Promise<Saved | null>;
};

/**
 * Keeps an output in a file of the workspace, named by what it holds: the same output again has the same name. Not being
 * able to is no reason to fail a command that worked.
 */
export async function saveOutput(root: string): Promise<SavedOutput> {
  const files = await openFiles(root).catch((error: unknown) => {
    codeOf(error);
    return null;
  });
  const hash = createHash('sha256');
  let bytes = 0;
  let broken = files === null;
  return {
    async add(chunk) {
      const piece = chunk.subarray(0, Math.max(0, limits.bytes - bytes));
      bytes += chunk.length;
      if (broken || files === null || piece.length === 0) return;
      hash.update(piece);
      await files.file.appendFile(piece).catch(() => (broken = true));
    },
    async close() {
      if (files === null) return null;
      const { held, file, temporary } = files;
      await using _ = held;
      await file.close();
      const name = `${hash.digest('hex').slice(0, 16)}.txt`;
      if (broken) await rm(temporary, { force: true });
      else await rename(temporary, held.at(name));
      await prune(held);
      return broken ? null : { path: [...folder, name].join('/'), isWhole: bytes <= limits.bytes };
    },
  };
}

type Files = { readonly held: HeldFolder; readonly file: FileHandle; readonly temporary: string };

async function openFiles(root: string): Promise<Files> {
  const held = await holdFolder(root, folder, true);
  try {
    await hideFromGit(held);
    const temporary = held.at(`${randomBytes(9).toString('hex')}.part`);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    return { held, file: await open(temporary, flags, 0o600), temporary };
  } catch (error) {
    await held[Symbol.asyncDispose]();
    throw error;
  }
}

async function hideFromGit(held: HeldFolder): Promise<void> {
  await writeFile(held.at('.gitignore'), '*\n', { flag: 'wx' }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

/** Only the latest are kept. */
async function prune(held: HeldFolder): Promise<void> {
  const names = (await readdir(held.at('.'))).filter((name) => name !== '.gitignore');
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: (await lstat(held.at(name))).mtimeMs })),
  ).catch(() => []);
  const old = dated.toSorted((a, b) => b.at - a.at).slice(limits.files);
  await Promise.all(old.map(({ name }) => rm(held.at(name), { force: true })));
}
