import { simulateReadableStream } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import type { Move, Script } from './scripts.ts';

/** A model of the AI SDK that follows a script. */
export function scriptedModel(script: Script): MockLanguageModelV4 {
  let asked = 0;
  const next = (request: { readonly tools?: readonly unknown[] }): Move => {
    const move = script(asked, (request.tools ?? []).length > 0);
    asked += 1;
    return move;
  };
  const callOf = (move: Extract<Move, { call: object }>) =>
    ({
      type: 'tool-call',
      toolCallId: `call_${asked}`,
      toolName: move.call.tool,
      input: JSON.stringify(move.call.args),
    }) as const;
  const ending = (move: Move) => ({
    finishReason: { unified: 'text' in move ? 'stop' : 'tool-calls', raw: undefined } as const,
    usage: {
      inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
    },
  });
  return new MockLanguageModelV4({
    doGenerate: async (request) => {
      const move = next(request);
      const content = 'text' in move ? ({ type: 'text', text: move.text } as const) : callOf(move);
      return { content: [content], ...ending(move), warnings: [] };
    },
    doStream: async (request) => {
      const move = next(request);
      const parts =
        'text' in move
          ? ([
              { type: 'text-start', id: 'text' },
              { type: 'text-delta', id: 'text', delta: move.text },
              { type: 'text-end', id: 'text' },
            ] as const)
          : ([callOf(move)] as const);
      const chunks = [
        { type: 'stream-start', warnings: [] } as const,
        ...parts,
        { type: 'finish', ...ending(move) } as const,
      ];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
}
