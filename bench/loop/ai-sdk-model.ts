import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { answer, askedAt } from '../durable/work.ts';

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

const finish = (isLast: boolean) => ({
  finishReason: { unified: isLast ? ('stop' as const) : ('tool-calls' as const), raw: undefined },
  usage,
});

/** A model of the AI SDK that answers at once. Its own mock would keep every request it was sent. */
export function modelFor(steps: number): LanguageModelV4 {
  let step = 0;
  const next = () => {
    if (step === steps) return { content: [{ type: 'text' as const, text: answer }], isLast: true };
    const { text, callId, page } = askedAt(step);
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
      return { content, ...finish(isLast), warnings: [] };
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
      parts.push({ type: 'finish', ...finish(isLast) });
      return { stream: ReadableStream.from(parts) };
    },
  };
}
