import { McpServer } from '@modelcontextprotocol/server';
import type { EntryStorage } from '@pawl/runtime/storage';
import { registerGovernorTools, createTrackerLookup } from './governor-tools.ts';
import { registerMemoryTools } from './memory-tools.ts';

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
        'Report each of your tool calls with observe and follow its advice: it detects when the work is stuck in a loop. ' +
        'Use remember, recall and search for information that should outlast this conversation.',
    },
  );
  registerGovernorTools(server, createTrackerLookup(now));
  registerMemoryTools(server, storage, now);
  return server;
}
