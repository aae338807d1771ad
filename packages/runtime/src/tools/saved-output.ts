import { createHash, randomBytes } from 'node:crypto';
import { lstat, readdir, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { openFlags, openRefusingLinks, replaceFile, getSystemErrorCode } from '../platform/files.ts';
import { openFolderHandle, type FolderHandle } from './workspace-file.ts';

const outputFolder = ['.pawl', 'output'] as const;
const savedOutputLimits = { bytes: 50 * 1024 * 1024, files: 40 } as const;

/** `path` is relative to the root and readable by the agent. */
export type SavedFile = { readonly path: string; readonly isComplete: boolean };

export type SavedOutput = {
  add(chunk: Buffer): Promise<void>;
  /** Resolves to null if the output could not be saved. */
  close(): Promise<SavedFile | null>;
};

/**
 * Saves an output to a file in the workspace, named by its content hash, so that equal outputs share a name. A failure
 * to save does not fail the command.
 */
export async function openSavedOutput(root: string): Promise<SavedOutput> {
  const files = await openOutputFiles(root).catch((error: unknown) => {
    getSystemErrorCode(error);
    return null;
  });
  const hash = createHash('sha256');
  let bytes = 0;
  let hasFailed = files === null;
  return {
    async add(chunk) {
      const piece = chunk.subarray(0, Math.max(0, savedOutputLimits.bytes - bytes));
      bytes += chunk.length;
      if (hasFailed || files === null || piece.length === 0) return;
      hash.update(piece);
      await files.file.appendFile(piece).catch(() => (hasFailed = true));
    },
    async close() {
      if (files === null) return null;
      const { folder, file, temporary } = files;
      await using _ = folder;
      await file.close();
      const name = `${hash.digest('hex').slice(0, 16)}.txt`;
      if (hasFailed) await rm(temporary, { force: true });
      else await replaceFile(temporary, folder.at(name));
      await pruneOutputs(folder);
      return hasFailed
        ? null
        : { path: [...outputFolder, name].join('/'), isComplete: bytes <= savedOutputLimits.bytes };
    },
  };
}

type OutputFiles = { readonly folder: FolderHandle; readonly file: FileHandle; readonly temporary: string };

async function openOutputFiles(root: string): Promise<OutputFiles> {
  const folder = await openFolderHandle(root, outputFolder, true);
  try {
    await hideFromGit(folder);
    const temporary = folder.at(`${randomBytes(9).toString('hex')}.part`);
    return {
      folder,
      file: await openRefusingLinks(temporary, openFlags.createNew, { mode: 0o600 }),
      temporary,
    };
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

async function hideFromGit(folder: FolderHandle): Promise<void> {
  await writeFile(folder.at('.gitignore'), '*\n', { flag: 'wx' }).catch((error: unknown) => {
    if (getSystemErrorCode(error) !== 'EEXIST') throw error;
  });
}

/** Deletes all but the latest outputs. */
async function pruneOutputs(folder: FolderHandle): Promise<void> {
  const names = (await readdir(folder.at('.'))).filter((name) => name !== '.gitignore');
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: (await lstat(folder.at(name))).mtimeMs })),
  ).catch(() => []);
  const old = dated.toSorted((a, b) => b.at - a.at).slice(savedOutputLimits.files);
  await Promise.all(old.map(({ name }) => rm(folder.at(name), { force: true })));
}
