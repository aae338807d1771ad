import { homedir, tmpdir } from 'node:os';
import { parse } from 'node:path';
import { repositoryRoot } from '../source-files.ts';

/** Details of one machine that must not leak into the project: its package registries and its folders. */
export type MachineTraits = { readonly hosts: readonly string[]; readonly folders: readonly string[] };

export function readMachineTraits(registry: string): MachineTraits {
  const tooCommon = new Set([parse(repositoryRoot).root, tmpdir()]);
  return {
    hosts: [new URL(registry).host],
    folders: [repositoryRoot, homedir()].filter((folder) => !tooCommon.has(folder)),
  };
}

export function findLeaks(text: string, { hosts, folders }: MachineTraits): readonly string[] {
  return [
    ...(text.match(/\/\/[^\s/"'`]*\bregistry\b[^\s/"'`]*/) ?? []),
    ...hosts.filter((host) => text.includes(host)),
    ...folders.filter((folder) => hasAbsolutePath(text, folder)),
  ];
}

// `/app/` is a machine's folder; the end of `src/app/` is not.
function hasAbsolutePath(text: string, folder: string): boolean {
  return text.split(folder).some((before, index, parts) => {
    const after = parts[index + 1];
    return after !== undefined && /(?:^|[^\w.~*}\])-])$/.test(before) && /^[/\\]/.test(after);
  });
}
