import { memoryActionOf, memoryActions, type Json, type MemoryActionType, type Outcome } from '@pawl/core';
import * as z from 'zod';
import type { Tool } from '../tools/tool.ts';
import type { MemoryKeeper } from './memory-keeper.ts';

/**
 * Those actions on memory that its settings allow, as tools. The memory itself checks the arguments, not the schema: an
 * attempt that makes no sense belongs in its log like any other.
 */
export function memoryTools(keeper: MemoryKeeper): readonly Tool[] {
  return keeper.memory.settings.actions.map((type): Tool => ({
    // It touches nothing outside the session but the agent's own shelf, and the keeper does one thing at a time.
    effect: 'read-only',
    description: {
      name: type,
      description: memoryActions[type],
      parameters: z.toJSONSchema(parameters[type]) as Json,
    },
    async run(args) {
      const { reply, error, found } = await keeper.act(memoryActionOf(type, args));
      return { ...outcomeOf(reply, error), ...(found.length > 0 && { found }) };
    },
  }));
}

const tags = z
  .union([z.string(), z.array(z.string())])
  .describe('The name of the information, such as "project_plan"; several tags with commas between them.');
const value = z.string().describe('The information itself.');
const tagged = z.object({ tags });

const parameters: { readonly [Type in MemoryActionType]: z.ZodType } = {
  working_memory_add: z.object({ tags, value }),
  working_memory_remove: tagged,
  working_memory_list: z.object({}),
  working_memory_pin: tagged,
  working_memory_unpin: tagged,
  storage_save: z.object({ tags, value: value.optional() }),
  storage_load: tagged,
  storage_search: z.object({
    tags: tags.optional(),
    query: z.string().optional().describe('Words to look for in what was saved.'),
  }),
};

function outcomeOf(reply: string, error: { readonly kind: 'invalid' | 'refused' } | null): Outcome {
  if (error === null) return { ok: true, output: reply };
  return { ok: false, error: { kind: error.kind === 'invalid' ? 'invalid' : 'failed', message: reply } };
}
