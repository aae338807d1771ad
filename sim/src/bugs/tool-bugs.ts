import type { Json } from '@pawl/core';
import type { Tool, ToolContext } from '@pawl/runtime';
import type { ExecutionSpool } from '@pawl/runtime/store';
import type { AssemblyContext } from '../process-assembly.ts';
import { waitForScheduler } from '../port-call.ts';
import type { PlantedBug } from './bug.ts';

/** Planted bugs in tool calls: their ids, their results and the recovery of running calls. */
export const toolBugs: readonly PlantedBug[] = [
  {
    name: 'rerun-pending',
    what: 'a non-repeatable call is run again after a crash',
    parts: { tools: (tools) => replaceTool(tools, 'shell', (tool) => ({ ...tool, effect: 'read-only' })) },
  },
  {
    name: 'start-called-off',
    what: 'a call that was cancelled while queued is started anyway',
    parts: { tools: (tools, context) => tools.map((tool) => createQueuedTool(tool, context)) },
  },
  {
    name: 'provider-id-as-key',
    what: 'a call is identified by the id of the provider',
    parts: {
      tools: (tools) => tools.map((tool) => renameExecution(tool, (_, args) => getCallIdArgument(args))),
    },
  },
  {
    name: 'key-per-attempt',
    what: 'a call gets a new idempotency key on each run',
    parts: {
      tools: (tools, { driver }) =>
        tools.map((tool) => renameExecution(tool, (id) => `${id} ${driver.name}`)),
    },
  },
  {
    name: 'settle-without-looking',
    what: 'an interrupted edit is treated as done',
    parts: {
      tools: (tools) =>
        replaceTool(tools, 'edit', (tool) => ({
          ...tool,
          reconcile: async (args) => ({ ok: true, output: { mark: getMarkArgument(args) } }),
        })),
    },
  },
  {
    name: 'spool-forgets-when-read',
    what: 'a spooled result is removed when it is read',
    parts: {
      spool: (spool) => ({
        ...spool,
        async find(execution) {
          const entry = await spool.find(execution);
          if (entry.result !== null) await spool.remove(execution);
          return entry;
        },
      }),
    },
  },
  {
    name: 'spool-forgets-all',
    what: 'cleanup removes results that are still needed',
    parts: { spool: (spool) => ({ ...spool, retainOnly: () => spool.retainOnly([]) }) },
  },
  {
    name: 'spool-mixes-up',
    what: 'results of different calls share one spool key',
    parts: { spool: (spool) => renameSpoolKeys(spool, () => 'result') },
  },
  {
    name: 'assume-done',
    what: 'a call with unknown result is treated as done',
    parts: {
      spool: (spool) => ({
        ...spool,
        async find(execution) {
          const { result, output } = await spool.find(execution);
          return { result: result ?? { ok: true, output: 'done' }, output };
        },
      }),
    },
  },
];

function replaceTool(tools: readonly Tool[], name: string, change: (tool: Tool) => Tool): readonly Tool[] {
  return tools.map((tool) => (tool.description.name === name ? change(tool) : tool));
}

function renameExecution(tool: Tool, rename: (id: string, args: Json) => string): Tool {
  return {
    ...tool,
    run(args, context) {
      const { execution } = context;
      if (execution === undefined) return tool.run(args, context);
      const renamedContext: ToolContext = {
        ...context,
        execution: { ...execution, id: rename(execution.id, args) },
      };
      return tool.run(args, renamedContext);
    },
  };
}

/** Waits in a queue of its own that ignores the abort signal. */
function createQueuedTool(tool: Tool, { world, driver }: AssemblyContext): Tool {
  const caller = { process: driver.process.name, kind: 'tool' };
  const { signal } = new AbortController();
  return {
    ...tool,
    async run(args, context) {
      await waitForScheduler(world, caller, { name: 'queue', inMs: 100 });
      return tool.run(args, { ...context, signal });
    },
  };
}

function renameSpoolKeys(spool: ExecutionSpool, rename: (execution: string) => string): ExecutionSpool {
  return {
    ...spool,
    saveResult: (execution, result) => spool.saveResult(rename(execution), result),
    find: (execution) => spool.find(rename(execution)),
    remove: async () => undefined,
    retainOnly: async () => undefined,
  };
}

function getCallIdArgument(args: Json): string {
  const id = (args as Readonly<Record<string, Json>> | null)?.['id'];
  return typeof id === 'string' ? id : 'none';
}

function getMarkArgument(args: Json): Json {
  return (args as Readonly<Record<string, Json>> | null)?.['mark'] ?? null;
}
