import { homedir, tmpdir } from 'node:os';
import { parse } from 'node:path';
import { root } from '../source-files.ts';

/** What belongs to one machine and not to the project: where it installs packages from, and its folders. */
export type Machine = { readonly hosts: readonly string[]; readonly folders: readonly string[] };

export function thisMachine(registry: string): Machine {
  const tooCommon = new Set([parse(root).root, tmpdir()]);
  return {
    hosts: [new URL(registry).host],
    folders: [root, homedir()].filter((folder) => !tooCommon.has(folder)),
  };
}

export function leaksIn(text: string, { hosts, folders }: Machine): readonly string[] {
  return [
    ...(text.match(/\/\/[^\s/"'`]*\bregistry\b[^\s/"'`]*/) ?? []),
    ...hosts.filter((host) => text.includes(host)),
    ...folders.filter((folder) => hasAbsolutePath(text, folder)),
  ];
}

// `/app/` is a folder of the machine; the end of `src/app/` is not.
function hasAbsolutePath(text: string, folder: string): boolean {
  return text.split(folder).some((before, index, parts) => {
    const after = parts[index + 1];
    return after !== undefined && /(?:^|[^\w.~*}\])-])$/.test(before) && /^[/\\]/.test(after);
  });
}
