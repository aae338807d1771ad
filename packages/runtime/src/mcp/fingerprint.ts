import { createHash } from 'node:crypto';
import type { McpServer } from './mcp-server.ts';

/**
 * Computes the fingerprint of a tool version: the server's full description of it and how the server is reached.
 * Approvals refer to fingerprints, not to names.
 */
export function computeToolFingerprint(server: McpServer, tool: unknown): string {
  const where =
    'command' in server
      ? { command: server.command, args: server.args ?? [], cwd: server.cwd ?? null }
      : { url: server.url };
  return createHash('sha256').update(stringifySorted({ where, tool })).digest('hex');
}

/** Serializes JSON with sorted object keys. */
function stringifySorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
