import { copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { oneAtATime } from '../one-at-a-time.ts';
import { codeOf } from '../search/system-error.ts';
import { MemoryFileError } from './memory-file-error.ts';

export type LoadedFile<Content> = {
  /** Null when there is nothing to go on from. */
  readonly content: Content | null;
  readonly from: 'file' | 'last good' | 'nothing';
  /** What was damaged, and where it is now. */
  readonly warnings: readonly string[];
};

/**
 * A JSON file that is whole at any moment: a save writes beside it, flushes, and then takes its place. Saves run one after
 * the other. The version before the last save stays beside it as `.last-good`; a file that cannot be read is set aside as
 * `.damaged-1`, never deleted.
 */
export type MemoryFile<Content> = {
  readonly path: string;
  load(): Promise<LoadedFile<Content>>;
  save(json: unknown): Promise<void>;
};

/** `read` makes something of the JSON in the file, or throws when it is not what it should be. */
export function createMemoryFile<Content>(
  path: string,
  read: (json: unknown) => Content,
): MemoryFile<Content> {
  const inTurn = oneAtATime();
  /** The version that we wrote or read last. */
  let ours: string | null = null;
  return {
    path,
    load: () =>
      inTurn(async () => {
        const loaded = await load(path, read);
        ours = loaded.from === 'file' ? await identityOf(path) : null;
        return loaded;
      }),
    save: (json) =>
      inTurn(async () => {
        // Only what we wrote or read ourselves is known to be good; somebody else's edit may not be.
        const isGood = ours !== null && ours === (await identityOf(path));
        await replace(path, `${JSON.stringify(json, null, 2)}\n`, isGood);
        ours = await identityOf(path);
      }),
  };
}

async function load<Content>(path: string, read: (json: unknown) => Content): Promise<LoadedFile<Content>> {
  await clearLeftovers(path);
  const text = await textAt(path);
  if (text === null) return fallBack(path, read, null);
  try {
    return { content: read(JSON.parse(text)), from: 'file', warnings: [] };
  } catch (error) {
    const aside = await setAside(path);
    const reason = error instanceof Error ? error.message : String(error);
    return fallBack(path, read, `${path} is damaged (${reason}). It is now ${aside}.`);
  }
}

/** `damage` is null when there is no file at all: for the first time, or because somebody removed it. */
async function fallBack<Content>(
  path: string,
  read: (json: unknown) => Content,
  damage: string | null,
): Promise<LoadedFile<Content>> {
  const lastGood = `${path}.last-good`;
  const text = await textAt(lastGood);
  if (text === null) {
    const warnings =
      damage === null ? [] : [damage, 'There is no earlier version of it: memory begins empty.'];
    return { content: null, from: 'nothing', warnings };
  }
  const why = damage ?? `${path} is missing.`;
  try {
    const content = read(JSON.parse(text));
    const next = `Memory goes on from ${lastGood}; remove that as well to begin anew.`;
    return { content, from: 'last good', warnings: [why, next] };
  } catch {
    const next = `${lastGood} is damaged, too: memory begins empty.`;
    return { content: null, from: 'nothing', warnings: [why, next] };
  }
}

async function textAt(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new MemoryFileError('unreadable', path, error);
  }
}

async function setAside(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const aside = `${path}.damaged-${number}`;
    // Linking fails if the name is taken, so nothing that was set aside is ever overwritten.
    const isFree = await link(path, aside).then(
      () => true,
      (error: unknown) => {
        if (codeOf(error) === 'EEXIST') return false;
        throw new MemoryFileError('unwritable', aside, error);
      },
    );
    if (!isFree) continue;
    await rm(path);
    return aside;
  }
}

/** Everything is on disk before the new file takes the old one's place, and so is the change of place itself. */
async function replace(path: string, text: string, oldIsGood: boolean): Promise<void> {
  const temporary = `${path}.tmp-${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeDurably(temporary, text);
    if (oldIsGood) await keepAsLastGood(path);
    await rename(temporary, path);
    await flushFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new MemoryFileError('unwritable', path, error);
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The old file gets a second name; the new one then takes the first. Where there are no links, it is copied. */
async function keepAsLastGood(path: string): Promise<void> {
  const next = `${path}.tmp-last-good-${process.pid}`;
  await rm(next, { force: true });
  await link(path, next).catch(() => copyFile(path, next));
  await rename(next, `${path}.last-good`);
}

/** Some systems cannot flush a folder; there the rename is as durable as it gets. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  if (handle === null) return;
  await handle.sync().catch(() => undefined);
  await handle.close();
}

/** Removes what a process left behind that was killed while saving. One that still runs keeps its files. */
async function clearLeftovers(path: string): Promise<void> {
  const names = await readdir(dirname(path)).catch(() => []);
  for (const name of names) {
    const pid = name.startsWith(`${basename(path)}.tmp-`) ? Number(/-(\d+)$/.exec(name)?.[1]) : NaN;
    if (Number.isSafeInteger(pid) && !isRunning(pid)) await rm(join(dirname(path), name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/** Tells one version of a file from another. */
async function identityOf(path: string): Promise<string | null> {
  const facts = await stat(path).catch(() => null);
  return facts === null ? null : `${facts.dev} ${facts.ino} ${facts.size} ${facts.mtimeMs}`;
}
