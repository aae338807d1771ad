import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '../platform/files.ts';
import { readSmallFile } from '../data-files/small-file.ts';
import { listApprovedVersions, mergeApprovals, type ToolApproval, type ApprovalStore } from './approvals.ts';
import { McpError } from './mcp-server.ts';

const approvalsBytesMax = 16 * 2 ** 20;

const approvalsSchema = z.strictObject({
  version: z.literal(1),
  approvals: z.array(z.strictObject({ server: z.string(), tool: z.string(), fingerprint: z.string() })),
});

/**
 * Stores approvals in a JSON file with owner-only permissions, replaced atomically. An unreadable file approves nothing
 * and is never overwritten.
 */
export function createFileApprovalStore(path: string): ApprovalStore {
  let last: Promise<unknown> = Promise.resolve();
  const change = (update: (stored: readonly ToolApproval[]) => readonly ToolApproval[]): Promise<void> => {
    // Reload first, because other processes may write the file.
    const write = async (): Promise<void> => saveApprovals(path, update(await loadApprovals(path)));
    const result = last.then(write, write);
    last = result.catch(() => undefined);
    return result;
  };
  return {
    getFingerprints: async (server) => listApprovedVersions(await loadApprovals(path), server),
    approve: (approvals) => change((stored) => mergeApprovals(stored, approvals)),
    revoke: (server) => change((stored) => stored.filter((each) => each.server !== server)),
  };
}

async function loadApprovals(path: string): Promise<readonly ToolApproval[]> {
  const file = await readSmallFile(path, approvalsBytesMax);
  if (!file.ok && file.code === 'missing') return [];
  if (!file.ok) throw createApprovalsError(path, file.problem, file.cause);
  try {
    return approvalsSchema.parse(JSON.parse(file.text)).approvals;
  } catch (error) {
    throw createApprovalsError(
      path,
      'it is not a valid list of approvals. Remove it, and approve the tools again.',
      error,
    );
  }
}

async function saveApprovals(path: string, approvals: readonly ToolApproval[]): Promise<void> {
  const temporary = `${path}.tmp-${randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ version: 1, approvals }, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await replaceFile(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw createApprovalsError(path, 'it cannot be written. Check free disk space and permissions.', error);
  }
}

function createApprovalsError(path: string, problem: string, cause: unknown): McpError {
  return new McpError('approvals', `MCP tool approvals in ${JSON.stringify(path)}: ${problem}`, cause);
}
