import type { Json, Session } from '@pawl/core';
import { memoryTools, textAbout, toolsAbout, type AgentOptions, type ToolDescription } from '@pawl/runtime';

/** What a run told its model besides what is in the session. `missing` names what is not on record. */
export type Manifest = {
  readonly prompt: string;
  readonly tools: readonly ToolDescription[];
  readonly missing: readonly ('prompt' | 'tools')[];
};

/** The prompt and the tools of a run stand in what is kept about its session, if whoever ran it wrote them there. */
export function manifestIn(about: Json): Manifest {
  const prompt = textAbout(about, 'prompt');
  const tools = toolsAbout(about);
  return {
    prompt: prompt ?? '',
    tools: tools ?? [],
    missing: [
      ...(prompt === null ? (['prompt'] as const) : []),
      ...(tools === null ? (['tools'] as const) : []),
    ],
  };
}

/** What goes on record with a session: what its model is told besides it. */
export function manifestOf(
  session: Session,
  { prompt = '', tools, memory }: Pick<AgentOptions, 'prompt' | 'tools' | 'memory'>,
): Pick<Manifest, 'prompt' | 'tools'> {
  const offered =
    session.memory === null || memory === undefined ? tools : [...tools, ...memoryTools(memory)];
  return { prompt, tools: offered.map(({ description }) => ({ ...description })) };
}
