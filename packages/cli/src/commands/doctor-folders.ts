import { mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DoctorCheck } from './doctor-check.ts';

type CheckedFolder = {
  readonly name: string;
  readonly path: string;
  /** The environment variable that overrides the path. */
  readonly variable: string;
  readonly platform: NodeJS.Platform;
};

/** Checks that the user, and only the user, can write to a folder. */
export async function checkFolder({ name, path, variable, platform }: CheckedFolder): Promise<DoctorCheck> {
  const existing = await findExistingAncestor(path);
  if (!(await canWrite(existing))) {
    const advice = `Make ${existing} writable for you, or set ${variable} to another folder.`;
    return { name, needed: true, ok: false, found: path, advice };
  }
  if (existing === path && (await isWritableByOthers(path, platform))) {
    const advice = `Remove write access for other users: chmod go-w ${path}`;
    return { name, needed: true, ok: false, found: `${path}, writable by other users`, advice };
  }
  return { name, needed: true, ok: true, found: path, advice: null };
}

/** Creates a test folder, because permission bits say nothing about what root can write. */
function canWrite(folder: string): Promise<boolean> {
  return mkdtemp(join(folder, '.pawl-doctor-'))
    .then(rmdir)
    .then(
      () => true,
      () => false,
    );
}

/** Windows has no such permission bits. */
async function isWritableByOthers(path: string, platform: NodeJS.Platform): Promise<boolean> {
  const { mode } = await stat(path);
  return platform !== 'win32' && (mode & 0o022) !== 0;
}

const minFreeDiskBytes = 500e6;

/** Checks the free disk space where sessions are stored. */
export async function checkDisk(path: string): Promise<DoctorCheck> {
  const name = 'disk';
  const existing = await findExistingAncestor(path);
  const stats = await statfs(existing).catch(() => null);
  if (stats === null) {
    return {
      name,
      needed: true,
      ok: false,
      found: 'unknown',
      advice: `Check the disk that holds ${existing}.`,
    };
  }
  const bytes = stats.bavail * stats.bsize;
  const ok = bytes >= minFreeDiskBytes;
  const advice = ok ? null : `Free at least 0.5 GB on the disk that holds ${existing}.`;
  return { name, needed: true, ok, found: `${(bytes / 1e9).toFixed(1)} GB free`, advice };
}

/** Returns the folder, or its nearest existing ancestor. */
async function findExistingAncestor(folder: string): Promise<string> {
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  return exists || dirname(folder) === folder ? folder : findExistingAncestor(dirname(folder));
}
