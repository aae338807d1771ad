import type { Json } from '@pawl/core';
import type { AgentManifest } from '@pawl/runtime/agent-setup';
import { getMetadataText, getMetadataTools } from '@pawl/runtime/store';

/** The prompt and the tools of a run, which the session does not contain. `missing` names what was not recorded. */
export type RunManifest = AgentManifest & {
  readonly missing: readonly ('prompt' | 'tools')[];
};

/** Reads the prompt and the tools from the session's metadata, if they were recorded there. */
export function readRunManifest(metadata: Json): RunManifest {
  const prompt = getMetadataText(metadata, 'prompt');
  const tools = getMetadataTools(metadata);
  return {
    prompt: prompt ?? '',
    tools: tools ?? [],
    missing: [
      ...(prompt === null ? (['prompt'] as const) : []),
      ...(tools === null ? (['tools'] as const) : []),
    ],
  };
}
