import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { benchAnswer, createPageRequest } from '../durable/bench-session.ts';

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

const createFinish = (isLast: boolean) => ({
  finishReason: { unified: isLast ? ('stop' as const) : ('tool-calls' as const), raw: undefined },
  usage,
});

/** An AI SDK model that answers immediately. The SDK's own mock is not used because it stores every request. */
export function createInstantAiSdkModel(steps: number): LanguageModelV4 {
  let step = 0;
  const next = () => {
    if (step === steps) return { content: [{ type: 'text' as const, text: benchAnswer }], isLast: true };
    const { text, callId, page } = createPageRequest(step);
    step += 1;
    const call = {
      type: 'tool-call' as const,
      toolCallId: callId,
      toolName: 'read',
      input: JSON.stringify(page),
    };
    return { content: [{ type: 'text' as const, text }, call], isLast: false };
  };
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'zero-latency',
    supportedUrls: {},
    async doGenerate() {
      const { content, isLast } = next();
      return { content, ...createFinish(isLast), warnings: [] };
    },
    async doStream() {
      const { content, isLast } = next();
      const parts: LanguageModelV4StreamPart[] = [{ type: 'stream-start', warnings: [] }];
      for (const part of content) {
        if (part.type === 'tool-call') parts.push(part);
        else
          parts.push(
            { type: 'text-start', id: 't' },
            { type: 'text-delta', id: 't', delta: part.text },
            { type: 'text-end', id: 't' },
          );
      }
      parts.push({ type: 'finish', ...createFinish(isLast) });
      return { stream: ReadableStream.from(parts) };
    },
  };
}
