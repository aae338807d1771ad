import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';

/** Metadata that a provider attaches to a reply part and expects back in later requests. */
export type PartAttachment = SharedV4ProviderMetadata;

export type ReasoningPart = { readonly text: string; readonly attachment: PartAttachment };

/**
 * Caches signed reasoning and call signatures. Providers verify them in later requests, but they are meaningless to
 * anything else, so they are not part of the conversation. The conversation also works without them, as after a
 * restart.
 */
export type AttachmentCache = {
  setCall(id: string, attachment: PartAttachment): void;
  /** `id` is the id of the reply's first call. */
  setReasoning(id: string, parts: readonly ReasoningPart[]): void;
  getCall(id: string): PartAttachment | undefined;
  getReasoning(id: string): readonly ReasoningPart[];
};

/** Older entries are evicted; conversations are compacted long before they reach this limit. */
const attachmentsMax = 5_000;

export function createAttachmentCache(): AttachmentCache {
  const calls = new Map<string, PartAttachment>();
  const reasoning = new Map<string, readonly ReasoningPart[]>();
  return {
    setCall: (id, attachment) => setBoundedEntry(calls, id, attachment),
    setReasoning: (id, parts) => setBoundedEntry(reasoning, id, parts),
    getCall: (id) => calls.get(id),
    getReasoning: (id) => reasoning.get(id) ?? [],
  };
}

function setBoundedEntry<Value>(entries: Map<string, Value>, id: string, value: Value): void {
  entries.delete(id);
  entries.set(id, value);
  const [oldest] = entries.keys();
  if (entries.size > attachmentsMax && oldest !== undefined) entries.delete(oldest);
}
