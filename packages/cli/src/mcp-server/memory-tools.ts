import type { McpServer } from '@modelcontextprotocol/server';
import { normalTags, tagsOf, type StoredEntry } from '@pawl/core';
import { storageLimits, type Storage } from '@pawl/runtime';
import * as z from 'zod';
import { answer, fault } from './answer.ts';

const tags = z
  .string()
  .describe('The name of the information, such as "project_plan"; several tags with commas between them.');

const entry = z.object({ tags: z.array(z.string()), value: z.json(), savedAt: z.number() });

/** Storage as tools: the same that an agent in this folder would have. */
export function offerMemory(server: McpServer, storage: Storage, now: () => number): void {
  server.registerTool(
    'remember',
    {
      title: 'Remember something',
      description:
        'Keeps a text under its tags, for later conversations too. What was under exactly these tags is replaced.',
      inputSchema: z.object({ tags, value: z.string().describe('The information itself.') }),
      outputSchema: z.object({ tags: z.array(z.string()), replaced: z.boolean() }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    async ({ tags: given, value }) => {
      const named = normalTags(given);
      if ('fault' in named) return fault(`This cannot be remembered: ${named.fault}.`);
      const { key } = named;
      const replaced = (await storage.load(key)) !== null;
      await storage.save([{ key, value: value.toWellFormed(), kind: 'entry', savedAt: now() }]);
      return answer({ tags: tagsOf(key), replaced });
    },
  );
  server.registerTool(
    'recall',
    {
      title: 'Recall what is under some tags',
      description: 'What was remembered under exactly these tags. To find something by its words, search.',
      inputSchema: z.object({ tags }),
      outputSchema: z.object({ found: z.boolean(), entry: entry.nullable() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ tags: given }) => {
      const named = normalTags(given);
      if ('fault' in named) return fault(`This cannot be recalled: ${named.fault}.`);
      const found = await storage.load(named.key);
      return answer({ found: found !== null, entry: found === null ? null : shown(found) });
    },
  );
  offerSearch(server, storage);
}

function offerSearch(server: McpServer, storage: Storage): void {
  server.registerTool(
    'search',
    {
      title: 'Search what was remembered',
      description: 'Entries by words in them or in their tags, the best first.',
      inputSchema: z.object({
        query: z.string().default('').describe('Words to look for.'),
        tags: z.string().default('').describe('Tags that an entry must have, with commas between them.'),
        limit: z.int().min(1).max(storageLimits.found).default(storageLimits.foundIfNotSaid),
      }),
      outputSchema: z.object({ entries: z.array(entry) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ query, tags: given, limit }) => {
      const named = normalTags(given);
      const wanted = 'fault' in named ? [] : tagsOf(named.key);
      const entries = await storage.search({ text: query, tags: wanted, limit });
      return answer({ entries: entries.map(shown) });
    },
  );
}

function shown({ key, value, savedAt }: StoredEntry): z.infer<typeof entry> {
  return { tags: [...tagsOf(key)], value: value as z.infer<typeof entry>['value'], savedAt };
}
