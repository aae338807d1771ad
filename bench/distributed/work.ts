import { toArray } from '@pawl/core';
import { createScripted, defineTool, type ScriptedReply } from '@pawl/runtime';
import type { OutfitFor } from '@pawl/worker';
import * as z from 'zod';
import { answer, askedAt, read } from '../durable/work.ts';

const readTool = defineTool({
  name: 'read',
  description: 'Reads a page of a file.',
  parameters: z.object({ path: z.string(), from: z.number() }),
  effect: 'read-only',
  run: async (page) => ({ ok: true, output: read(page) }),
});

/** As in durable.ts: step after step in which the model asks for a page and gets it, then an answer. Null never answers. */
export function outfitOf(steps: number | null): OutfitFor {
  const script: readonly ScriptedReply[] = [
    ...Array.from({ length: steps ?? 0 }, (_, step) => {
      const { text, callId, page } = askedAt(step);
      return { text, calls: [{ id: callId, tool: 'read', args: page }] };
    }),
    { text: answer },
  ];
  return async () => ({
    tools: [readTool],
    model: {
      name: 'scripted',
      async *stream(request, signal) {
        if (steps === null) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        const said = toArray(request.conversation).filter(({ role }) => role === 'assistant').length;
        yield* createScripted(script.slice(said, said + 1)).stream(request, signal);
      },
    },
  });
}

/** What a raw job carries: as much as a message of a session does. */
export function messageAt(index: number): string {
  const { text, page } = askedAt(index);
  return index % 2 === 0 ? text : read(page);
}
