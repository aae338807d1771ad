import {
  ChantWatch,
  type Call,
  type CompletedTool,
  type Event,
  type PagingFinished,
  type RecoveryOutcome,
  type RequestedCall,
  type Verdict,
} from '@pawl/core';
import type { Spool } from './executions/spool.ts';
import type { MemoryKeeper } from './memory/memory-keeper.ts';
import type { Model, ModelChunk, ModelRequest } from './models/model.ts';
import { jsonProblem } from './store/json-text.ts';
import type { Tool } from './tools/tool.ts';

/** An event before it is stamped with its time. */
export type Unstamped = Event extends infer E ? (E extends Event ? Omit<E, 'at'> : never) : never;

/** Hands an event to the machine; resolves, once it is kept and acted on, to whether the machine took it. */
export type Post = (event: Unstamped) => Promise<boolean>;

/** What the rules say to a call. A denial may say why; the model is told. */
export type Ruling = 'allow' | 'ask' | 'deny' | { readonly permission: 'deny'; readonly because: string };

export type Rules = (call: RequestedCall) => Ruling;

/** What a person says to one call. */
export type Decision = { readonly decision: 'allow' | 'deny'; readonly reason?: string };

/** What making room has freed, and how much was held before it, in tokens; and what a model wrote about what was moved. */
export type Freed = Pick<PagingFinished, 'freedTokens' | 'heldTokens' | 'summaries' | 'usage'>;

/** The outside world that actions are carried out with. */
export type World = {
  readonly model: Model;
  readonly tools: readonly Tool[];
  /** What the model is told before everything else; may be empty. */
  readonly prompt: string;
  readonly rules: Rules;
  readonly decide: (call: Call, signal: AbortSignal) => Promise<Decision>;
  /** Resolves to whether a hook did anything. */
  readonly hooks: (completed: readonly CompletedTool[], signal: AbortSignal) => Promise<boolean>;
  readonly recover: (verdict: Verdict, signal: AbortSignal) => Promise<RecoveryOutcome>;
  /** Writes a few words about what is moved to storage, to stand in its place; null for what can be said without one. */
  readonly summaryModel: Model | null;
  /** Makes room in the model's window. */
  readonly page: (reason: string, signal: AbortSignal) => Promise<Freed>;
  /** What the agent remembers with. */
  readonly memory: MemoryKeeper;
  /** Where the results of calls are until the log has them. */
  readonly spool: Spool;
  readonly random: () => number;
};

/** What a model call needs besides the world. */
export type Asking = {
  readonly request: number;
  readonly post: Post;
  readonly signal: AbortSignal;
  /** Whether a reply that has become a chant is cut off. */
  readonly cutsChants: boolean;
};

/** Asks the model and posts what it says. A model that breaks its contract is a model that failed. */
export async function askModel(world: World, ask: ModelRequest, asking: Asking): Promise<void> {
  const { request, post, signal } = asking;
  const fail = (kind: 'unknown' | 'truncated', message: string): Promise<boolean> =>
    post({ type: 'model-failed', request, jitter: world.random(), error: { kind, message } });
  const tell = teller(world, asking);
  try {
    for await (const chunk of world.model.stream(ask, signal)) {
      if (signal.aborted) return;
      const isOver = await tell(chunk);
      // A model that is asked for more once nobody listens might never notice.
      if (isOver || signal.aborted) return;
    }
    if (!signal.aborted)
      await fail('truncated', `${world.model.name} stopped before its reply was complete.`);
  } catch (error) {
    if (!signal.aborted) await fail('unknown', `${world.model.name} broke off: ${messageOf(error)}`);
  }
}

/** Posts chunk after chunk; resolves to whether the reply is over. */
function teller(
  world: World,
  { request, post, cutsChants }: Asking,
): (chunk: ModelChunk) => Promise<boolean> {
  const chants = cutsChants ? new ChantWatch() : null;
  let written = '';
  return async (chunk) => {
    switch (chunk.type) {
      case 'text': {
        await post({ type: 'text-delta', request, text: chunk.text });
        written += chunk.text;
        const isChant = chants !== null && chants.hear(chunk.text) !== null;
        // Nothing more will come of it. The machine sees for itself that this is a chant, now and on every replay.
        if (isChant) await post({ type: 'model-replied', request, text: written, calls: [] });
        return isChant;
      }
      case 'call': {
        const { callId, tool, fragment } = chunk;
        await post({ type: 'call-delta', request, callId, tool, fragment });
        return false;
      }
      case 'reply': {
        const { type: _, calls: asked, ...said } = chunk;
        const problem = jsonProblem(chunk);
        if (problem !== null) throw new TypeError(`its reply is not plain JSON: ${problem}`);
        const calls = asked.map((call) => ({ ...call, ...ruled(world.rules(call)) }));
        await post({ type: 'model-replied', request, ...said, calls });
        return true;
      }
      case 'failure':
        await post({ type: 'model-failed', request, jitter: world.random(), error: chunk.error });
        return true;
      default:
        return chunk satisfies never;
    }
  };
}

function ruled(ruling: Ruling): Pick<RequestedCall, 'permission' | 'because'> {
  return typeof ruling === 'string' ? { permission: ruling } : ruling;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
