import type { ToolCall, CompletedTool, RecoveryOutcome, RequestedCall, Verdict } from '@pawl/core';
import type { ReplyKind } from '@pawl/core/turn';
import { RepetitionDetector } from '@pawl/governor';
import type {
  EventPoster,
  PermissionRuling,
  PermissionCheck,
  PermissionDecision,
  CompactionReport,
} from '../ports/agent-ports.ts';
import { getErrorMessage } from '../text/one-line.ts';
import type { ExecutionSpool } from '../store/spool.ts';
import type { MemoryManager } from '../memory/memory-manager.ts';
import type { Model, ModelChunk, ReplyChunk, ModelRequest } from '../models/model.ts';
import { findSerializationProblem } from '../store/json-text.ts';
import type { Tool } from '../tools/tool.ts';

/** Ports through which the agent's actions reach the outside world. */
export type AgentDependencies = {
  readonly model: Model;
  readonly tools: readonly Tool[];
  /** System prompt; may be empty. */
  readonly prompt: string;
  readonly rules: PermissionCheck;
  readonly decide: (call: ToolCall, signal: AbortSignal) => Promise<PermissionDecision>;
  /** Resolves to whether any hook took action. */
  readonly hooks: (completed: readonly CompletedTool[], signal: AbortSignal) => Promise<boolean>;
  readonly recover: (verdict: Verdict, signal: AbortSignal) => Promise<RecoveryOutcome>;
  /** Model that summarizes compacted content; null to generate summaries without a model. */
  readonly summaryModel: Model | null;
  /** Frees space in the model's context window. */
  readonly page: (reason: string, signal: AbortSignal) => Promise<CompactionReport>;
  readonly memory: MemoryManager;
  /** Holds tool results until the log contains them. */
  readonly spool: ExecutionSpool;
  readonly random: () => number;
};

/** Input of one model call besides the agent's dependencies. */
export type ModelCallContext = {
  readonly request: number;
  readonly post: EventPoster;
  readonly signal: AbortSignal;
  /** Whether to cut off a reply that has become a repetition loop. */
  readonly cutsRepetition: boolean;
  /** What a reply of text alone means if the model does not mark it. */
  readonly textKind: 'thought' | 'answer';
};

/** Streams one model reply and posts it as events. A model that violates its contract counts as failed. */
export async function runModelCall(
  dependencies: AgentDependencies,
  modelRequest: ModelRequest,
  context: ModelCallContext,
): Promise<void> {
  const { request, post, signal } = context;
  const fail = (kind: 'unknown' | 'truncated', message: string): Promise<boolean> =>
    post({ type: 'model-failed', request, jitter: dependencies.random(), error: { kind, message } });
  const postChunk = createChunkPoster(dependencies, context);
  try {
    for await (const chunk of dependencies.model.stream(modelRequest, signal)) {
      if (signal.aborted) return;
      const isComplete = await postChunk(chunk);
      // Stop iterating: a model that is asked for another chunk might not notice that its request was aborted.
      if (isComplete || signal.aborted) return;
    }
    if (!signal.aborted)
      await fail('truncated', `${dependencies.model.name} ended its stream before the reply was complete.`);
  } catch (error) {
    if (!signal.aborted)
      await fail('unknown', `${dependencies.model.name} failed while streaming: ${getErrorMessage(error)}`);
  }
}

/** Posts each chunk; resolves to whether the reply is complete. */
function createChunkPoster(
  dependencies: AgentDependencies,
  { request, post, cutsRepetition, textKind }: ModelCallContext,
): (chunk: ModelChunk) => Promise<boolean> {
  const detector = cutsRepetition ? new RepetitionDetector() : null;
  let text = '';
  return async (chunk) => {
    switch (chunk.type) {
      case 'text': {
        await post({ type: 'text-delta', request, text: chunk.text });
        text += chunk.text;
        const isLooping = detector !== null && detector.addText(chunk.text) !== null;
        // Cut the reply off. The state machine detects the repetition loop itself, also on replay.
        if (isLooping) await post({ type: 'model-replied', request, kind: textKind, text, calls: [] });
        return isLooping;
      }
      case 'call': {
        const { callId, tool, fragment } = chunk;
        await post({ type: 'call-delta', request, callId, tool, fragment });
        return false;
      }
      case 'reply': {
        const { type: _, response: __, calls: requestedCalls, ...reply } = chunk;
        const problem = findSerializationProblem(chunk);
        if (problem !== null) throw new TypeError(`its reply is not plain JSON: ${problem}`);
        const calls = requestedCalls.map((call) => ({
          ...call,
          ...toCallPermission(dependencies.rules(call)),
        }));
        await post({ type: 'model-replied', request, kind: toReplyKind(chunk, textKind), ...reply, calls });
        return true;
      }
      case 'failure':
        await post({ type: 'model-failed', request, jitter: dependencies.random(), error: chunk.error });
        return true;
      default:
        return chunk satisfies never;
    }
  };
}

function toReplyKind({ calls, problem }: ReplyChunk, textKind: 'thought' | 'answer'): ReplyKind {
  if (problem !== undefined) return 'unreadable';
  return calls.length > 0 ? 'action' : textKind;
}

function toCallPermission(ruling: PermissionRuling): Pick<RequestedCall, 'permission' | 'denialReason'> {
  if (typeof ruling === 'string') return { permission: ruling };
  return { permission: ruling.permission, denialReason: ruling.reason };
}
