import type { Json } from '@pawl/core';
import type { ReplayedStep } from '@pawl/core/projections';
import type { ModelRequest } from '@pawl/runtime';
import { buildModelRequest } from '@pawl/runtime/models';
import type { AgentManifest } from '@pawl/runtime/agent-setup';
import { findManifest } from '@pawl/runtime/store';
import { isAskModelAction } from '@pawl/core/turn';

/** One request to the model. */
export type SentModelRequest = {
  readonly request: number;
  readonly attempt: number;
  readonly ask: ModelRequest;
};

/** Lists the model requests that an event caused; most events cause none. */
export function listModelRequests(
  { event, after, seq }: ReplayedStep,
  readManifest: ManifestReader,
): readonly SentModelRequest[] {
  const { prompt, tools } = readManifest(seq);
  return after.actions.filter(isAskModelAction).map((action) => ({
    request: action.request,
    attempt: action.attempt,
    ask: buildModelRequest(action, after.session, { prompt, tools, at: event.at }),
  }));
}

/** The prompt and the tools of a run, which the session does not contain. `missing` names what was not recorded. */
export type RunManifest = AgentManifest & {
  readonly missing: readonly ('prompt' | 'tools')[];
};

/** Returns the manifest of the run that handled an event. */
export type ManifestReader = (seq: number) => RunManifest;

/** Reads the prompts and the tools from the session's metadata, if they were recorded there. */
export function createManifestReader(metadata: Json): ManifestReader {
  return (seq) => {
    const { prompt, tools } = findManifest(metadata, seq);
    return {
      prompt: prompt ?? '',
      tools: tools ?? [],
      missing: [
        ...(prompt === null ? (['prompt'] as const) : []),
        ...(tools === null ? (['tools'] as const) : []),
      ],
    };
  };
}
