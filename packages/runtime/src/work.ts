import type {
  Call,
  CompletedTool,
  Event,
  Outcome,
  RecoveryOutcome,
  RequestedCall,
  Verdict,
} from '@pawl/core';
import type { Model, ModelRequest } from './models/model.ts';
import type { Tool } from './tools/tool.ts';

/** An event before it is stamped with its time. */
export type Unstamped = Event extends infer E ? (E extends Event ? Omit<E, 'at'> : never) : never;

/** Hands an event to the machine; resolves, once it is kept and acted on, to whether the machine took it. */
export type Post = (event: Unstamped) => Promise<boolean>;

export type Rules = (call: RequestedCall) => 'allow' | 'ask' | 'deny';

/** What a person says to one call. */
export type Decision = { readonly decision: 'allow' | 'deny'; readonly reason?: string };

/** The outside world that actions are carried out with. */
export type World = {
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly rules: Rules;
  readonly decide: (call: Call, signal: AbortSignal) => Promise<Decision>;
  /** Resolves to whether a hook did anything. */
  readonly hooks: (completed: readonly CompletedTool[], signal: AbortSignal) => Promise<boolean>;
  readonly recover: (verdict: Verdict, signal: AbortSignal) => Promise<RecoveryOutcome>;
  /** Makes room in the model's window; resolves to the tokens freed. */
  readonly page: (reason: string, signal: AbortSignal) => Promise<number>;
  readonly random: () => number;
};

/** Asks the model and posts what it says. A model that breaks its contract is a model that failed. */
export async function askModel(
  world: World,
  request: number,
  ask: ModelRequest,
  { post, signal }: { readonly post: Post; readonly signal: AbortSignal },
): Promise<void> {
  const fail = (kind: 'unknown' | 'truncated', message: string): Promise<boolean> =>
    post({ type: 'model-failed', request, jitter: world.random(), error: { kind, message } });
  try {
    for await (const chunk of world.model.stream(ask, signal)) {
      if (signal.aborted) return;
      switch (chunk.type) {
        case 'text':
          await post({ type: 'text-delta', request, text: chunk.text });
          break;
        case 'call': {
          const { callId, tool, fragment } = chunk;
          await post({ type: 'call-delta', request, callId, tool, fragment });
          break;
        }
        case 'reply': {
          const { text, usage } = chunk;
          const calls = chunk.calls.map((call) => ({ ...call, permission: world.rules(call) }));
          await post({ type: 'model-replied', request, text, calls, ...(usage && { usage }) });
          return;
        }
        case 'failure':
          await post({ type: 'model-failed', request, jitter: world.random(), error: chunk.error });
          return;
        default:
          chunk satisfies never;
      }
    }
    if (!signal.aborted)
      await fail('truncated', `${world.model.name} stopped before its reply was complete.`);
  } catch (error) {
    if (!signal.aborted) await fail('unknown', `${world.model.name} broke off: ${messageOf(error)}`);
  }
}

/** Runs one call. Its start is on record before it runs, and a call the machine no longer wants never starts. */
export async function runTool(
  world: World,
  request: number,
  call: Call,
  { post, signal }: { readonly post: Post; readonly signal: AbortSignal },
): Promise<void> {
  const { id: callId } = call;
  if (!(await post({ type: 'tool-started', request, callId }))) return;
  const outcome = await outcomeOf(world, call, signal, (progress) => {
    void post({ type: 'tool-progressed', request, callId, progress });
  });
  await post({ type: 'tool-finished', request, callId, outcome });
}

async function outcomeOf(
  world: World,
  call: Call,
  signal: AbortSignal,
  report: (progress: string) => void,
): Promise<Outcome> {
  const tool = world.tools.find((each) => each.description.name === call.tool);
  if (tool === undefined) {
    const known = world.tools.map((each) => each.description.name).join(', ');
    const message = `There is no tool named ${JSON.stringify(call.tool)}. There are: ${known}.`;
    return { ok: false, error: { kind: 'invalid', message } };
  }
  try {
    return await tool.run(call.args, { signal, report });
  } catch (error) {
    return { ok: false, error: { kind: 'failed', message: `${call.tool} failed: ${messageOf(error)}` } };
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
