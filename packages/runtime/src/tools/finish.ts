import * as z from 'zod';
import type { Tool } from './tool.ts';
import { defineTool } from './tool.ts';

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
