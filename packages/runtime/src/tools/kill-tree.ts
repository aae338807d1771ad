import { setTimeout as sleep } from 'node:timers/promises';
import {
  createProcessTable,
  hasProcessGroups,
  signalProcessGroup,
  type ListedProcess,
  type ProcessTable,
} from '../platform/processes.ts';

/** The environment variable that marks a command and all its descendants, including detached ones. */
export const commandMarkVariable = 'PAWL_COMMAND';

/** A program that forks faster than the scan may need several rounds. */
const roundsMax = 50;

/** Identifies a process; the start time distinguishes it from a later process with the same id. */
export type ProcessRef = { readonly pid: number; readonly startedAt: string };

/**
 * Kills a process, its group and all its descendants that can be found: by parent id, by the mark in their environment,
 * or because they were seen before (`known`). A process that removed its mark and whose parents exited before the scan
 * escapes; only a sandbox prevents that. Resolves to whether anything was left to kill.
 */
export async function killTree(pid: number, mark: string, known: readonly ProcessRef[]): Promise<boolean> {
  // On Windows the process id may already belong to another process.
  const killed = hasProcessGroups() && signalCommandGroup(pid, 'SIGKILL');
  return (await killAll(() => findDescendants(pid, mark, known))) || killed;
}

async function killAll(find: () => Promise<readonly ProcessRef[]>): Promise<boolean> {
  let killed = false;
  for (let round = 0; round < roundsMax; round += 1) {
    const processes = await find();
    if (processes.length === 0) break;
    killed = true;
    for (const each of processes) sendSignal(each.pid, 'SIGKILL');
    await sleep(5);
  }
  return killed;
}

/** Kills all processes with this mark and their descendants; used when the process that started them is gone. */
export function killMarkedProcesses(mark: string): Promise<boolean> {
  return killAll(() => findDescendants(noProcessId, mark));
}

/** An id that no process has. */
const noProcessId = -1;

/** Returns false if the group no longer exists. */
export function signalCommandGroup(pid: number, name: NodeJS.Signals): boolean {
  return signalProcessGroup(pid, name);
}

function sendSignal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // The process has exited, or belongs to another user.
    return false;
  }
}

const systemProcessTable = createProcessTable();

/**
 * Lists the running descendants of a process. Windows has no such list; there `signalProcessGroup` alone ends a tree.
 */
export async function findDescendants(
  root: number,
  mark: string,
  known: readonly ProcessRef[] = [],
  table: ProcessTable = systemProcessTable,
): Promise<readonly ProcessRef[]> {
  const all = await table.list();
  const isKnown = ({ pid, startedAt }: ProcessRef): boolean =>
    known.some((ref) => ref.pid === pid && ref.startedAt === startedAt);
  const isMarked = ({ environment }: ListedProcess): boolean =>
    environment.includes(`${commandMarkVariable}=${mark}`);
  const family = new Set([
    root,
    ...all.filter((each) => isMarked(each) || isKnown(each)).map(({ pid }) => pid),
  ]);
  for (let before = 0; family.size > before;) {
    before = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.filter(({ pid }) => family.has(pid) && pid !== process.pid);
}
