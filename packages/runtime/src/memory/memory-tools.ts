import type { Json, ToolOutcome } from '@pawl/core';
import { toMemoryAction, memoryActions, type MemoryActionType } from '@pawl/core/memory';
import * as z from 'zod';
import type { Tool } from '../tools/tool.ts';
import type { MemoryManager } from './memory-manager.ts';

/**
 * Creates tools for the memory actions that the settings allow. The memory rather than the schema validates the
 * arguments, because its log also records invalid attempts.
 */
export function createMemoryTools(manager: MemoryManager): readonly Tool[] {
  return manager.memory.settings.actions.map((type): Tool => ({
    // Safe to repeat: it touches only the agent's own storage, and the memory manager runs one operation at a time.
    effect: 'read-only',
    description: {
      name: type,
      description: memoryActions[type],
      parameters: z.toJSONSchema(actionParameters[type]) as Json,
    },
    async run(args) {
      const { reply, error, found: foundEntries } = await manager.applyAction(toMemoryAction(type, args));
      return { ...toMemoryOutcome(reply, error), ...(foundEntries.length > 0 && { foundEntries }) };
    },
  }));
}

const actionTagsSchema = z
  .union([z.string(), z.array(z.string())])
  .describe('Name of the information, such as "project_plan"; separate several tags with commas.');
const actionValueSchema = z.string().describe('The information itself.');
const taggedSchema = z.object({ tags: actionTagsSchema });

const actionParameters: { readonly [Type in MemoryActionType]: z.ZodType } = {
  working_memory_add: z.object({ tags: actionTagsSchema, value: actionValueSchema }),
  working_memory_remove: taggedSchema,
  working_memory_list: z.object({}),
  working_memory_pin: taggedSchema,
  working_memory_unpin: taggedSchema,
  storage_save: z.object({ tags: actionTagsSchema, value: actionValueSchema.optional() }),
  storage_load: taggedSchema,
  storage_search: z.object({
    tags: actionTagsSchema.optional(),
    query: z.string().optional().describe('Words to search for in saved entries.'),
  }),
};

function toMemoryOutcome(reply: string, error: { readonly kind: 'invalid' | 'refused' } | null): ToolOutcome {
  if (error === null) return { ok: true, output: reply };
  return { ok: false, error: { kind: error.kind === 'invalid' ? 'invalid' : 'failed', message: reply } };
}
