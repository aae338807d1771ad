import type { Json, Session } from '@pawl/core';
import {
  createMemoryTools,
  getMetadataText,
  getMetadataTools,
  type AgentOptions,
  type ToolDescription,
} from '@pawl/runtime';

/** The prompt and the tools of a run, which the session does not contain. `missing` names what was not recorded. */
export type RunManifest = {
  readonly prompt: string;
  readonly tools: readonly ToolDescription[];
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

/** Creates the manifest that is stored with a session. */
export function createRunManifest(
  session: Session,
  { prompt = '', tools, memory }: Pick<AgentOptions, 'prompt' | 'tools' | 'memory'>,
): Pick<RunManifest, 'prompt' | 'tools'> {
  const offered =
    session.memory === null || memory === undefined ? tools : [...tools, ...createMemoryTools(memory)];
  return { prompt, tools: offered.map(({ description }) => ({ ...description })) };
}
