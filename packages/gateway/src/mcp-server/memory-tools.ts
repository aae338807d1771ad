import type { McpServer } from '@modelcontextprotocol/server';
import { normalizeTags, parseTagKey, type StoredEntry } from '@pawl/core/memory';
import { storageLimits, type EntryStorage } from '@pawl/runtime/storage';
import * as z from 'zod';
import { toMcpToolResult, toMcpToolError } from './tool-result.ts';

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
