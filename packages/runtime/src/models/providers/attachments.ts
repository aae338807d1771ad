import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';

/** Metadata that a provider attaches to a reply part and expects back in later requests. */
export type PartAttachment = SharedV4ProviderMetadata;

export type ReasoningPart = { readonly text: string; readonly attached: PartAttachment };

/**
 * Caches signed reasoning and call signatures. Providers verify them in later requests, but they are meaningless to
 * anything else, so they are not part of the conversation. The conversation also works without them, as after a
 * restart.
 */
export type AttachmentCache = {
  keepCall(id: string, attached: PartAttachment): void;
  /** `id` is the id of the reply's first call. */
  keepReasoning(id: string, parts: readonly ReasoningPart[]): void;
  ofCall(id: string): PartAttachment | undefined;
  reasoningBefore(id: string): readonly ReasoningPart[];
};

/** Older entries are evicted; conversations are compacted long before they reach this limit. */
const attachmentsMax = 5_000;

export function createAttachmentCache(): AttachmentCache {
  const calls = new Map<string, PartAttachment>();
  const reasoning = new Map<string, readonly ReasoningPart[]>();
  return {
    keepCall: (id, attached) => setBoundedEntry(calls, id, attached),
    keepReasoning: (id, parts) => setBoundedEntry(reasoning, id, parts),
    ofCall: (id) => calls.get(id),
    reasoningBefore: (id) => reasoning.get(id) ?? [],
  };
}

function setBoundedEntry<Value>(kept: Map<string, Value>, id: string, value: Value): void {
  kept.delete(id);
  kept.set(id, value);
  const [oldest] = kept.keys();
  if (kept.size > attachmentsMax && oldest !== undefined) kept.delete(oldest);
}
