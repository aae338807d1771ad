import { readFileSync } from 'node:fs';

/** A host that ends its turn on an interrupt signal when it runs one of these subcommands. */
export type InterruptibleProgram = { readonly name: string; readonly subcommands: readonly string[] };

/** A process and its parent, as far as the search for the host needs them. */
export type HostProcess = { readonly parent: number; readonly argv: readonly string[] };

/** How far up the search goes: a shell and a launcher may stand between the hook and the host. */
const maxAncestors = 4;

/**
 * Interrupts the host that started this hook, as Ctrl-C would. Does nothing if no ancestor is this program with one of
 * these subcommands: the interactive program would be killed by the signal, and another program is not ours to stop.
 */
export function interruptHost(program: InterruptibleProgram): void {
  if (process.platform === 'win32') return;
  const host = findHostProcess(program, process.ppid, readHostProcess);
  if (host === null) return;
  try {
    process.kill(host, 'SIGINT');
  } catch {
    // The host has ended, or belongs to another user; its calls stay denied.
  }
}

/** Returns the id of the closest ancestor that is this program with one of these subcommands; null if there is none. */
export function findHostProcess(
  { name, subcommands }: InterruptibleProgram,
  from: number,
  read: (id: number) => HostProcess | null,
): number | null {
  let id = from;
  for (let count = 0; count < maxAncestors && id > 1; count += 1) {
    const host = read(id);
    if (host === null) return null;
    const [file = '', ...args] = host.argv;
    const end = args.indexOf('--');
    const options = end === -1 ? args : args.slice(0, end);
    if (getBaseName(file) === name) return options.some((option) => subcommands.includes(option)) ? id : null;
    id = host.parent;
  }
  return null;
}

function getBaseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function readHostProcess(id: number): HostProcess | null {
  return process.platform === 'linux' ? readLinuxProcess(id) : readProcessByPs(id);
}

function readLinuxProcess(id: number): HostProcess | null {
  try {
    const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1];
    return {
      parent: Number(parent ?? 0),
      argv: readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').slice(0, -1),
    };
  } catch {
    return null;
  }
}

function readProcessByPs(id: number): HostProcess | null {
  // Loaded only here: it takes as long to load as the rest of a hook.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { stdout, status } = spawnSync('ps', ['-o', 'ppid=,args=', '-p', String(id)], {
    encoding: 'utf8',
    timeout: 2_000,
  });
  const [parent, ...argv] = status === 0 ? stdout.trim().split(/\s+/) : [];
  return parent === undefined ? null : { parent: Number(parent), argv };
}
