import { createSession, type BudgetLimits, type Json, type Session } from '@pawl/core';
import { createAgentManifest } from '@pawl/runtime/agent-setup';
import type { CreateSessionRequest, SessionPreparer } from '@pawl/dashboard';
import type { AgentFactory } from '@pawl/worker';
import { planSession } from './session-plan.ts';

export type PrepareSessionOptions = {
  /** Default folder of new sessions. */
  readonly dir: string;
  /**
   * The local agent factory. It is called before the session is created, so that missing requirements are reported at
   * once and the prompt and tools are recorded. Null if workers run the session.
   */
  readonly outfitFor: AgentFactory | null;
};

/** Creates a session from a dashboard request, in the same way as `pawl run`. */
export function createSessionPreparer({ dir, outfitFor }: PrepareSessionOptions): SessionPreparer {
  return async (request, id) => {
    const { model, profile: profileName, mode } = request;
    const flags = {
      dir: request.dir ?? dir,
      ...(model !== undefined && { model }),
      ...(profileName !== undefined && { profile: profileName }),
      ...(mode !== undefined && { mode }),
    };
    const { profile, settings, about: metadata } = await planSession(flags, toBudgets(request));
    const session = createSession({ id, at: Date.now(), profile, settings });
    if (outfitFor === null) return { session, metadata };
    return {
      session,
      metadata: { ...Object(metadata), ...(await buildRunManifest(outfitFor, session, metadata)) },
    };
  };
}

function toBudgets({ budgets = {} }: CreateSessionRequest): BudgetLimits {
  const { modelCalls = null, toolCalls = null, tokens = null, cost = null, wallMs = null } = budgets;
  return { modelCalls, toolCalls, tokens, cost, wallMs };
}

/** Builds the manifest of the prompt and tools that the model will get. */
async function buildRunManifest(outfitFor: AgentFactory, session: Session, metadata: Json): Promise<object> {
  const setup = await outfitFor({
    session,
    metadata,
    signal: new AbortController().signal,
    waitForPerson: () => Promise.reject(new Error('The session is not running yet.')),
    post: async () => false,
    now: () => session,
  });
  const manifest = createAgentManifest(session, setup);
  await setup.close?.();
  return manifest;
}
