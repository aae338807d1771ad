import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';

/** What a provider puts on a part of a reply and wants to see there again. */
export type Attached = SharedV4ProviderMetadata;

export type ReasoningPart = { readonly text: string; readonly attached: Attached };

/**
 * Signed reasoning and signatures of calls. Providers check them when a conversation goes on, but they are of no use to
 * anybody else, so they are not part of it. Without them, as after a restart, the conversation goes on all the same.
 */
export type Attachments = {
  keepCall(id: string, attached: Attached): void;
  /** Under the id of the first call of the reply. */
  keepReasoning(id: string, parts: readonly ReasoningPart[]): void;
  ofCall(id: string): Attached | undefined;
  reasoningBefore(id: string): readonly ReasoningPart[];
};

/** Older ones are forgotten: conversations that go on for days are shortened long before this. */
const keptMax = 5_000;

export function createAttachments(): Attachments {
  const calls = new Map<string, Attached>();
  const reasoning = new Map<string, readonly ReasoningPart[]>();
  return {
    keepCall: (id, attached) => keep(calls, id, attached),
    keepReasoning: (id, parts) => keep(reasoning, id, parts),
    ofCall: (id) => calls.get(id),
    reasoningBefore: (id) => reasoning.get(id) ?? [],
  };
}

function keep<Value>(kept: Map<string, Value>, id: string, value: Value): void {
  kept.delete(id);
  kept.set(id, value);
  const [oldest] = kept.keys();
  if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
}
