import type { McpServer, CallToolResult } from '@modelcontextprotocol/server';
import { createTracker, type LoopTracker } from '@pawl/governor/tracker';
import * as z from 'zod';
import { normalizeTags, parseTagKey, type StoredEntry } from '@pawl/core/memory';
import { storageLimits, type EntryStorage } from '@pawl/runtime/storage';

const sessionNameSchema = z
  .string()
  .min(1)
  .max(200)
  .default('default')
  .describe('Name of the agent, if one client reports for several agents.');

const stuckReportSchema = z.object({
  stuck: z.boolean(),
  severity: z.enum(['none', 'advise', 'block', 'ask', 'stop']),
  rule: z.string().nullable(),
  reason: z.string(),
  advice: z.string(),
  evidence: z.array(z.number()),
});

const observedCallSchema = z.object({
  session: sessionNameSchema,
  tool: z.string().min(1).describe('Name of the tool that was called.'),
  args: z.json().optional().describe('Arguments of the call.'),
  success: z.boolean().default(true).describe('Whether the call succeeded.'),
  output: z.json().optional().describe('Output of the call. Omit it if it is unknown.'),
  error: z.string().optional().describe('Error message, if the call failed.'),
});

/** Registers the governor as tools: a client reports calls and learns whether the work progresses. */
export function registerGovernorTools(server: McpServer, trackers: TrackerLookup): void {
  server.registerTool(
    'observe',
    {
      title: 'Report a tool call to the governor',
      description:
        'Call this after each of your own tool calls, with its result. Returns whether the work makes progress, and advice if it is stuck.',
      inputSchema: observedCallSchema,
      outputSchema: stuckReportSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    ({ session: name, tool, args, success, output, error }) => {
      const tracker = trackers(name);
      const isFailure = !success || (error !== undefined && error !== '');
      tracker.recordToolCall({
        tool,
        args,
        success: !isFailure,
        ...(error !== undefined && { error }),
        ...(output !== undefined && { output }),
      });
      return toMcpToolResult({ ...tracker.stuck(), evidence: [...tracker.stuck().evidence] });
    },
  );
  server.registerTool(
    'verdict',
    {
      title: 'Check whether the work is stuck',
      description: 'Returns the current verdict of the governor and the number of calls reported so far.',
      inputSchema: z.object({ session: sessionNameSchema }),
      outputSchema: stuckReportSchema.extend({ calls: z.number() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ session: name }) => {
      const tracker = trackers(name);
      const report = tracker.stuck();
      return toMcpToolResult({ ...report, evidence: [...report.evidence], calls: tracker.progress().calls });
    },
  );
}

/** The loop trackers of a client's agents, by name, for the lifetime of the server. */
export type TrackerLookup = (name: string) => LoopTracker<'pawl'>;

/** Maximum number of trackers; the least recently used one is evicted. */
const maxTrackers = 64;

export function createTrackerLookup(now: () => number): TrackerLookup {
  const trackers = new Map<string, LoopTracker<'pawl'>>();
  return (name) => {
    const tracker = trackers.get(name) ?? createTracker({ sessionId: name, preset: 'pawl', now });
    trackers.delete(name);
    trackers.set(name, tracker);
    const [oldest] = trackers.keys();
    if (trackers.size > maxTrackers && oldest !== undefined) trackers.delete(oldest);
    return tracker;
  };
}

/** Returns the result as structured content, and as text for clients that do not support it. */
function toMcpToolResult(data: { readonly [name: string]: unknown }): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: { ...data } };
}

function toMcpToolError(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

const memoryTagsSchema = z
  .string()
  .describe('Tags that name the information, such as "project_plan"; separate several tags with commas.');

const memoryEntrySchema = z.object({ tags: z.array(z.string()), value: z.json(), savedAt: z.number() });

/** Registers storage as tools: the same storage that an agent in this folder uses. */
export function registerMemoryTools(server: McpServer, storage: EntryStorage, now: () => number): void {
  server.registerTool(
    'remember',
    {
      title: 'Save information',
      description:
        'Saves a text under its tags, also for later conversations. Replaces an entry with exactly the same tags.',
      inputSchema: z.object({
        tags: memoryTagsSchema,
        value: z.string().describe('The text to save.'),
      }),
      outputSchema: z.object({ tags: z.array(z.string()), replaced: z.boolean() }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    async ({ tags: tagText, value }) => {
      const normalized = normalizeTags(tagText);
      if ('problem' in normalized) return toMcpToolError(`The entry cannot be saved: ${normalized.problem}.`);
      const { key } = normalized;
      const replaced = (await storage.load(key)) !== null;
      await storage.save([{ key, value: value.toWellFormed(), kind: 'entry', savedAt: now() }]);
      return toMcpToolResult({ tags: parseTagKey(key), replaced });
    },
  );
  server.registerTool(
    'recall',
    {
      title: 'Recall an entry by its tags',
      description: 'Returns the entry with exactly these tags. Use search to find entries by their text.',
      inputSchema: z.object({ tags: memoryTagsSchema }),
      outputSchema: z.object({ found: z.boolean(), entry: memoryEntrySchema.nullable() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ tags: tagText }) => {
      const normalized = normalizeTags(tagText);
      if ('problem' in normalized)
        return toMcpToolError(`The entry cannot be recalled: ${normalized.problem}.`);
      const entry = await storage.load(normalized.key);
      return toMcpToolResult({ found: entry !== null, entry: entry === null ? null : toEntryJson(entry) });
    },
  );
  registerSearchTool(server, storage);
}

function registerSearchTool(server: McpServer, storage: EntryStorage): void {
  server.registerTool(
    'search',
    {
      title: 'Search saved entries',
      description: 'Finds entries by words in their text or tags, best match first.',
      inputSchema: z.object({
        query: z.string().default('').describe('Words to search for.'),
        tags: z.string().default('').describe('Tags that an entry must have, separated by commas.'),
        limit: z.int().min(1).max(storageLimits.found).default(storageLimits.foundDefault),
      }),
      outputSchema: z.object({ entries: z.array(memoryEntrySchema) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ query, tags: tagText, limit }) => {
      const normalized = normalizeTags(tagText);
      const wanted = 'problem' in normalized ? [] : parseTagKey(normalized.key);
      const entries = await storage.search({ text: query, tags: wanted, limit });
      return toMcpToolResult({ entries: entries.map(toEntryJson) });
    },
  );
}

function toEntryJson({ key, value, savedAt }: StoredEntry): z.infer<typeof memoryEntrySchema> {
  return { tags: [...parseTagKey(key)], value: value as z.infer<typeof memoryEntrySchema>['value'], savedAt };
}
