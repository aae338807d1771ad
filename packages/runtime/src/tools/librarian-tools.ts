import * as z from 'zod';
import type { FolderIndex } from '../search/index-folder.ts';
import { createReadTool } from './read.ts';
import { createSearchTool } from './search.ts';
import { type Tool, defineTool } from './tool.ts';

/** Creates the tools for answering a question from a folder: search, read and finish. */
export function createLibrarianTools(folder: FolderIndex): readonly Tool[] {
  return [createSearchTool(folder), createReadTool(folder), finishTool];
}

/** Ends the turn with the final answer. */
export const finishTool: Tool = defineTool({
  name: 'finish',
  effect: 'read-only',
  description:
    'Give the final answer and end the task. Call it once, when the work is done or cannot be done.',
  parameters: z.object({
    answer: z.string().min(1).describe('The complete answer, as the user will read it.'),
  }),
  async run({ answer }) {
    return { ok: true, output: { answer }, final: true };
  },
});
