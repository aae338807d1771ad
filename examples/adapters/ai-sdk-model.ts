import { simulateReadableStream } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import type { Move, Script } from './scripts.ts';

type Chunk =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never;

const ending = (move: Move) => ({
  finishReason: { unified: 'text' in move ? 'stop' : 'tool-calls', raw: undefined } as const,
  usage: {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  },
});

/** A model of the AI SDK that follows a script. */
export function scriptedModel(script: Script): MockLanguageModelV4 {
  let asked = 0;
  const next = (request: { readonly tools?: readonly unknown[] }): Move => {
    const move = script(asked, (request.tools ?? []).length > 0);
    asked += 1;
    return move;
  };
  const callsOf = ({ calls }: Extract<Move, { calls: object }>) =>
    calls.map(({ tool, args }, index) => ({
      type: 'tool-call' as const,
      toolCallId: `call_${asked}_${index}`,
      toolName: tool,
      input: JSON.stringify(args),
    }));
  return new MockLanguageModelV4({
    doGenerate: async (request) => {
      const move = next(request);
      const content = 'text' in move ? [{ type: 'text' as const, text: move.text }] : callsOf(move);
      return { content, ...ending(move), warnings: [] };
    },
    doStream: async (request) => {
      const move = next(request);
      const parts: readonly Chunk[] =
        'text' in move
          ? [
              { type: 'text-start', id: 'text' },
              { type: 'text-delta', id: 'text', delta: move.text },
              { type: 'text-end', id: 'text' },
            ]
          : callsOf(move);
      const chunks: Chunk[] = [
        { type: 'stream-start', warnings: [] },
        ...parts,
        { type: 'finish', ...ending(move) },
      ];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
}
