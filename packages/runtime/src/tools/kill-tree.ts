import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessStatus } from '../process-status.ts';

/** The environment variable that marks a command and all it starts, also what has gone its own way since. */
export const markName = 'PAWL_COMMAND';

/** Forking faster than it is looked for, a program may need a few rounds. */
const roundsMax = 50;

/** A process; when it was started tells it from a later one with the same number. */
export type Kin = { readonly pid: number; readonly startedAt: string };

/**
 * Ends a process, its group and whatever else it has started, as far as that can be found: by its parents, by the mark in
 * its environment, or because it was seen before (`known`). What took off its mark and whose parents were gone before
 * anybody looked gets away; only a sandbox holds that. Resolves to whether there was anything left to end.
 */
export async function killTree(pid: number, mark: string, known: readonly Kin[]): Promise<boolean> {
  const killed = signalGroup(pid, 'SIGKILL');
  return (await killAll(() => familyOf(pid, mark, known))) || killed;
}

async function killAll(find: () => Promise<readonly Kin[]>): Promise<boolean> {
  let killed = false;
  for (let round = 0; round < roundsMax; round += 1) {
    const found = await find();
    if (found.length === 0) break;
    killed = true;
    for (const each of found) signal(each.pid, 'SIGKILL');
    await sleep(5);
  }
  return killed;
}

/** Ends whatever carries this mark, and what comes from it; for when the process that started it is gone. */
export function killMarked(mark: string): Promise<boolean> {
  return killAll(() => familyOf(nobody, mark));
}

/** A number that no process has. */
const nobody = -1;

/** False when there is no such group any more. */
export function signalGroup(pid: number, name: NodeJS.Signals): boolean {
  return signal(-pid, name);
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // It has ended by itself, or belongs to somebody else and is none of ours.
    return false;
  }
}

type Seen = Kin & { readonly parent: number; readonly marked: boolean };

/** The living processes that come from this one. Only Linux tells; elsewhere the group has to do. */
export async function familyOf(
  root: number,
  mark: string,
  known: readonly Kin[] = [],
): Promise<readonly Kin[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const all = (await Promise.all(pids.map((pid) => look(pid, mark)))).filter((seen) => seen !== null);
  const isKnown = ({ pid, startedAt }: Kin): boolean =>
    known.some((kin) => kin.pid === pid && kin.startedAt === startedAt);
  const family = new Set([root, ...all.filter((seen) => seen.marked || isKnown(seen)).map(({ pid }) => pid)]);
  for (let before = 0; family.size > before;) {
    before = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.filter(({ pid }) => family.has(pid) && pid !== process.pid);
}

/** Null for a process that has gone, or has ended and only waits for its parent to notice. */
async function look(pid: number, mark: string): Promise<Seen | null> {
  try {
    const { hasEnded, parent, startedAt } = readProcessStatus(await readFile(`/proc/${pid}/stat`, 'latin1'));
    if (hasEnded) return null;
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    return { pid, parent, startedAt, marked: environment.includes(`${markName}=${mark}`) };
  } catch {
    return null;
  }
}
