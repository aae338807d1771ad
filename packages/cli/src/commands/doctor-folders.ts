import { mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Check } from './doctor-check.ts';

type Folder = {
  readonly name: string;
  readonly path: string;
  /** The variable that puts it elsewhere. */
  readonly variable: string;
};

/** Whether a folder of the user's can be written to, and by nobody else. */
export async function checkFolder({ name, path, variable }: Folder): Promise<Check> {
  const place = await nearestTo(path);
  if (!(await canWrite(place))) {
    const advice = `Give yourself the right to write in ${place}, or set ${variable}.`;
    return { name, needed: true, ok: false, found: path, advice };
  }
  if (place === path && (await isOpenToOthers(path))) {
    const advice = `Make it yours alone: chmod go-w ${path}`;
    return { name, needed: true, ok: false, found: `${path}, which others can change`, advice };
  }
  return { name, needed: true, ok: true, found: path, advice: null };
}

/** Root may do everything, on paper; only trying tells. */
function canWrite(place: string): Promise<boolean> {
  return mkdtemp(join(place, '.pawl-doctor-'))
    .then(rmdir)
    .then(
      () => true,
      () => false,
    );
}

/** Windows has no such bits. */
async function isOpenToOthers(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  return process.platform !== 'win32' && (mode & 0o022) !== 0;
}

const diskNeededBytes = 500e6;

/** Whether there is room where sessions are kept. */
export async function checkDisk(path: string): Promise<Check> {
  const name = 'disk';
  const place = await nearestTo(path);
  const facts = await statfs(place).catch(() => null);
  if (facts === null) return { name, needed: true, ok: false, found: 'unknown', advice: `Look at ${place}.` };
  const bytes = facts.bavail * facts.bsize;
  const ok = bytes >= diskNeededBytes;
  const advice = ok ? null : `Make room on the disk that holds ${place}: at least 0.5 GB.`;
  return { name, needed: true, ok, found: `${(bytes / 1e9).toFixed(1)} GB free`, advice };
}

/** The folder itself or the nearest one around it that exists. */
async function nearestTo(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearestTo(dirname(folder));
}
