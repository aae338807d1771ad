import { createHash } from 'node:crypto';
import type { McpServer } from './mcp-server.ts';

/**
 * Tells one version of a tool from another: all that its server says of it, and how the server is reached. What is
 * approved is this, not a name.
 */
export function fingerprintOf(server: McpServer, tool: unknown): string {
  const where =
    'command' in server
      ? { command: server.command, args: server.args ?? [], cwd: server.cwd ?? null }
      : { url: server.url };
  return createHash('sha256').update(inOrder({ where, tool })).digest('hex');
}

/** JSON with the keys of every object in order. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
