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
  const place = await findExistingAncestor(path);
  if (!(await canWrite(place))) {
    const advice = `Give yourself the right to write in ${place}, or set ${variable}.`;
    return { name, needed: true, ok: false, found: path, advice };
  }
  if (place === path && (await isWritableByOthers(path, platform))) {
    const advice = `Make it yours alone: chmod go-w ${path}`;
    return { name, needed: true, ok: false, found: `${path}, which others can change`, advice };
  }
  return { name, needed: true, ok: true, found: path, advice: null };
}

/** Creates a test folder, because permission bits say nothing about what root can write. */
function canWrite(place: string): Promise<boolean> {
  return mkdtemp(join(place, '.pawl-doctor-'))
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
  const place = await findExistingAncestor(path);
  const facts = await statfs(place).catch(() => null);
  if (facts === null) return { name, needed: true, ok: false, found: 'unknown', advice: `Look at ${place}.` };
  const bytes = facts.bavail * facts.bsize;
  const ok = bytes >= minFreeDiskBytes;
  const advice = ok ? null : `Make room on the disk that holds ${place}: at least 0.5 GB.`;
  return { name, needed: true, ok, found: `${(bytes / 1e9).toFixed(1)} GB free`, advice };
}

/** Returns the folder, or its nearest existing ancestor. */
async function findExistingAncestor(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : findExistingAncestor(dirname(folder));
}
