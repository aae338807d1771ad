import type { McpServer } from '@modelcontextprotocol/server';
import { normalizeTags, parseTagKey, type StoredEntry } from '@pawl/core';
import { storageLimits, type EntryStorage } from '@pawl/runtime';
import * as z from 'zod';
import { toMcpToolResult, toMcpToolError } from './tool-result.ts';

const memoryTagsSchema = z
  .string()
  .describe('The name of the information, such as "project_plan"; several tags with commas between them.');

const memoryEntrySchema = z.object({ tags: z.array(z.string()), value: z.json(), savedAt: z.number() });

/** Registers storage as tools: the same storage that an agent in this folder uses. */
export function registerMemoryTools(server: McpServer, storage: EntryStorage, now: () => number): void {
  server.registerTool(
    'remember',
    {
      title: 'Remember something',
      description:
        'Keeps a text under its tags, for later conversations too. What was under exactly these tags is replaced.',
      inputSchema: z.object({
        tags: memoryTagsSchema,
        value: z.string().describe('The information itself.'),
      }),
      outputSchema: z.object({ tags: z.array(z.string()), replaced: z.boolean() }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    async ({ tags: given, value }) => {
      const named = normalizeTags(given);
      if ('problem' in named) return toMcpToolError(`This cannot be remembered: ${named.problem}.`);
      const { key } = named;
      const replaced = (await storage.load(key)) !== null;
      await storage.save([{ key, value: value.toWellFormed(), kind: 'entry', savedAt: now() }]);
      return toMcpToolResult({ tags: parseTagKey(key), replaced });
    },
  );
  server.registerTool(
    'recall',
    {
      title: 'Recall what is under some tags',
      description: 'What was remembered under exactly these tags. To find something by its words, search.',
      inputSchema: z.object({ tags: memoryTagsSchema }),
      outputSchema: z.object({ found: z.boolean(), entry: memoryEntrySchema.nullable() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ tags: given }) => {
      const named = normalizeTags(given);
      if ('problem' in named) return toMcpToolError(`This cannot be recalled: ${named.problem}.`);
      const found = await storage.load(named.key);
      return toMcpToolResult({ found: found !== null, entry: found === null ? null : toEntryJson(found) });
    },
  );
  registerSearchTool(server, storage);
}

function registerSearchTool(server: McpServer, storage: EntryStorage): void {
  server.registerTool(
    'search',
    {
      title: 'Search what was remembered',
      description: 'Entries by words in them or in their tags, the best first.',
      inputSchema: z.object({
        query: z.string().default('').describe('Words to look for.'),
        tags: z.string().default('').describe('Tags that an entry must have, with commas between them.'),
        limit: z.int().min(1).max(storageLimits.found).default(storageLimits.foundDefault),
      }),
      outputSchema: z.object({ entries: z.array(memoryEntrySchema) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ query, tags: given, limit }) => {
      const named = normalizeTags(given);
      const wanted = 'problem' in named ? [] : parseTagKey(named.key);
      const entries = await storage.search({ text: query, tags: wanted, limit });
      return toMcpToolResult({ entries: entries.map(toEntryJson) });
    },
  );
}

function toEntryJson({ key, value, savedAt }: StoredEntry): z.infer<typeof memoryEntrySchema> {
  return { tags: [...parseTagKey(key)], value: value as z.infer<typeof memoryEntrySchema>['value'], savedAt };
}
