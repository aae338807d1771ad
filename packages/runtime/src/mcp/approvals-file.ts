import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { readSmallFile } from '../written-files/small-file.ts';
import { versionsOf, withApprovals, type Approval, type Approvals } from './approvals.ts';
import { McpError } from './mcp-error.ts';

const bytesMax = 16 * 2 ** 20;

const document = z.strictObject({
  version: z.literal(1),
  approvals: z.array(z.strictObject({ server: z.string(), tool: z.string(), fingerprint: z.string() })),
});

/**
 * Approvals in a JSON file that only its owner can read. It is whole at any moment. A file that cannot be read approves
 * nothing and is never written over.
 */
export function createApprovalsFile(path: string): Approvals {
  let last: Promise<unknown> = Promise.resolve();
  const change = (make: (held: readonly Approval[]) => readonly Approval[]): Promise<void> => {
    // Others may write it, too: what is changed is what is there now.
    const work = async (): Promise<void> => save(path, make(await load(path)));
    const result = last.then(work, work);
    last = result.catch(() => undefined);
    return result;
  };
  return {
    of: async (server) => versionsOf(await load(path), server),
    approve: (approvals) => change((held) => withApprovals(held, approvals)),
    revoke: (server) => change((held) => held.filter((each) => each.server !== server)),
  };
}

async function load(path: string): Promise<readonly Approval[]> {
  const file = await readSmallFile(path, bytesMax);
  if (!file.ok && file.code === 'missing') return [];
  if (!file.ok) throw unusable(path, file.problem, file.cause);
  try {
    return document.parse(JSON.parse(file.text)).approvals;
  } catch (error) {
    throw unusable(path, 'it is not a list of approvals. Remove it, and approve the tools again.', error);
  }
}

async function save(path: string, approvals: readonly Approval[]): Promise<void> {
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
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw unusable(path, 'it cannot be written. Make room, or give yourself the right to.', error);
  }
}

function unusable(path: string, problem: string, cause: unknown): McpError {
  return new McpError(
    'approvals',
    `The approvals of MCP tools in ${JSON.stringify(path)}: ${problem}`,
    cause,
  );
}
