import { toItemArray } from '@pawl/core';
import { defineTool } from '@pawl/runtime';
import { createScriptedModel, type ScriptedReply } from '@pawl/runtime/models';
import type { AgentFactory } from '@pawl/worker';
import * as z from 'zod';
import { benchAnswer, createPageRequest, readBenchPage } from '../durable/bench-session.ts';

const readTool = defineTool({
  name: 'read',
  description: 'Reads a page of a file.',
  parameters: z.object({ path: z.string(), from: z.number() }),
  effect: 'read-only',
  run: async (page) => ({ ok: true, output: readBenchPage(page) }),
});

/**
 * The same session as in durable.ts: in each step the model requests a page and receives it, then it answers. With null
 * it never answers.
 */
export function createBenchAgentFactory(steps: number | null): AgentFactory {
  const script: readonly ScriptedReply[] = [
    ...Array.from({ length: steps ?? 0 }, (_, step) => {
      const { text, callId, page } = createPageRequest(step);
      return { text, calls: [{ id: callId, tool: 'read', args: page }] };
    }),
    { text: benchAnswer },
  ];
  return async () => ({
    tools: [readTool],
    model: {
      name: 'scripted',
      async *stream(request, signal) {
        if (steps === null) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        const replyCount = toItemArray(request.conversation).filter(
          ({ role }) => role === 'assistant',
        ).length;
        yield* createScriptedModel(script.slice(replyCount, replyCount + 1)).stream(request, signal);
      },
    },
  });
}

/** Payload of a raw job, about as large as a session message. */
export function getRawMessage(index: number): string {
  const { text, page } = createPageRequest(index);
  return index % 2 === 0 ? text : readBenchPage(page);
}
