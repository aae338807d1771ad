import { McpServer } from '@modelcontextprotocol/server';
import type { EntryStorage } from '@pawl/runtime';
import { registerGovernorTools } from './governor-tools.ts';
import { registerMemoryTools } from './memory-tools.ts';
import { createTrackerLookup } from './trackers.ts';

export type McpServerOptions = {
  readonly version: string;
  readonly storage: EntryStorage;
  readonly now: () => number;
};

/** Creates an MCP server that offers the governor and a memory as tools. */
export function createMcpServer({ version, storage, now }: McpServerOptions): McpServer {
  const server = new McpServer(
    { name: 'pawl', version },
    {
      instructions:
        'Tell observe of each tool call you make and heed its advice: it notices when work goes round in circles. ' +
        'remember, recall and search keep what is worth knowing beyond this conversation.',
    },
  );
  registerGovernorTools(server, createTrackerLookup(now));
  registerMemoryTools(server, storage, now);
  return server;
}
