import { simulateReadableStream } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import type { ScriptMove, AgentScript } from './scripts.ts';

type StreamChunk =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never;

const createStepEnding = (move: ScriptMove) => ({
  finishReason: { unified: 'text' in move ? 'stop' : 'tool-calls', raw: undefined } as const,
  usage: {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  },
});

/** An AI SDK model that follows a script. */
export function createScriptedAiSdkModel(script: AgentScript): MockLanguageModelV4 {
  let asked = 0;
  const next = (request: { readonly tools?: readonly unknown[] }): ScriptMove => {
    const move = script(asked, (request.tools ?? []).length > 0);
    asked += 1;
    return move;
  };
  const callsOf = ({ calls }: Extract<ScriptMove, { calls: object }>) =>
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
      return { content, ...createStepEnding(move), warnings: [] };
    },
    doStream: async (request) => {
      const move = next(request);
      const parts: readonly StreamChunk[] =
        'text' in move
          ? [
              { type: 'text-start', id: 'text' },
              { type: 'text-delta', id: 'text', delta: move.text },
              { type: 'text-end', id: 'text' },
            ]
          : callsOf(move);
      const chunks: StreamChunk[] = [
        { type: 'stream-start', warnings: [] },
        ...parts,
        { type: 'finish', ...createStepEnding(move) },
      ];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
}
