import { createHash } from 'node:crypto';

/** What every provider takes for the name of a tool. */
const nameChars = 64;

/** Stands between the name of a server and that of its tool. No server's name has it, so no two servers can be mixed up. */
const nameSeparator = '__';

const serverName = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/i;

export const serverNameChars = 32;

export function isServerName(name: string): boolean {
  return name.length <= serverNameChars && serverName.test(name);
}

/**
 * The name of a server's tool as a model sees it. A name that cannot stay as it is gets a mark made from the whole of it,
 * so that two such names stay two.
 */
export function toolName(server: string, tool: string): string {
  const prefix = `${server}${nameSeparator}`;
  const room = nameChars - prefix.length;
  if (/^[\w-]+$/.test(tool) && tool.length <= room) return prefix + tool;
  const mark = createHash('sha256').update(tool).digest('hex').slice(0, 8);
  const plain = tool.slice(0, nameChars).replaceAll(/[^\w-]/g, '_');
  return `${prefix}${plain.slice(0, room - mark.length - 1)}_${mark}`;
}
