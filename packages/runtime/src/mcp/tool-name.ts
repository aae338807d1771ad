import { createHash } from 'node:crypto';

/** Maximum tool name length that every provider accepts. */
const toolNameChars = 64;

/** Separates server and tool names. No server name contains it, so qualified names are unambiguous. */
const nameSeparator = '__';

const serverNamePattern = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/i;

export const serverNameChars = 32;

export function isServerName(name: string): boolean {
  return name.length <= serverNameChars && serverNamePattern.test(name);
}

/**
 * Builds the tool name shown to the model. A name that must be shortened or escaped gets a hash suffix, so that
 * distinct names stay distinct.
 */
export function qualifyToolName(server: string, tool: string): string {
  const prefix = `${server}${nameSeparator}`;
  const charsMax = toolNameChars - prefix.length;
  if (/^[\w-]+$/.test(tool) && tool.length <= charsMax) return prefix + tool;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, 8);
  const plain = tool.slice(0, toolNameChars).replaceAll(/[^\w-]/g, '_');
  return `${prefix}${plain.slice(0, charsMax - hash.length - 1)}_${hash}`;
}
