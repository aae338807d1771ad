import { McpServer } from '@modelcontextprotocol/server';
import type { Storage } from '@pawl/runtime';
import { offerGovernor } from './governor-tools.ts';
import { offerMemory } from './memory-tools.ts';
import { createTrackers } from './trackers.ts';

export type McpServerOptions = {
  readonly version: string;
  readonly storage: Storage;
  readonly now: () => number;
};

/** The governor and a memory, as tools of an MCP server. */
export function createMcpServer({ version, storage, now }: McpServerOptions): McpServer {
  const server = new McpServer(
    { name: 'pawl', version },
    {
      instructions:
        'Tell observe of each tool call you make and heed its advice: it notices when work goes round in circles. ' +
        'remember, recall and search keep what is worth knowing beyond this conversation.',
    },
  );
  offerGovernor(server, createTrackers(now));
  offerMemory(server, storage, now);
  return server;
}
