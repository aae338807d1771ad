import { createSession, type Budgets, type Json, type Session } from '@pawl/core';
import type { CreateSession, Prepare } from '@pawl/dashboard';
import type { OutfitFor } from '@pawl/worker';
import { manifestOf } from './manifest.ts';
import { planSession } from './session-plan.ts';

export type PrepareOptions = {
  /** Where sessions work that name no folder. */
  readonly dir: string;
  /**
   * What the session will be worked on with, if that is here: it is tried before the session is made, so that what is
   * missing is said at once, and what the model will be told is on record. Null where others work on it.
   */
  readonly outfitFor: OutfitFor | null;
};

/** Makes a session as `pawl run` would make it, from what was asked for in a browser. */
export function prepareIn({ dir, outfitFor }: PrepareOptions): Prepare {
  return async (asked, id) => {
    const { model, profile: named, mode } = asked;
    const flags = {
      dir: asked.dir ?? dir,
      ...(model !== undefined && { model }),
      ...(named !== undefined && { profile: named }),
      ...(mode !== undefined && { mode }),
    };
    const { profile, settings, about } = await planSession(flags, budgetsIn(asked));
    const session = createSession({ id, at: Date.now(), profile, settings });
    if (outfitFor === null) return { session, about };
    return { session, about: { ...Object(about), ...(await manifestWith(outfitFor, session, about)) } };
  };
}

function budgetsIn({ budgets = {} }: CreateSession): Budgets {
  const { modelCalls = null, toolCalls = null, tokens = null, cost = null, wallMs = null } = budgets;
  return { modelCalls, toolCalls, tokens, cost, wallMs };
}

/** What the model will be told besides the session. */
async function manifestWith(outfitFor: OutfitFor, session: Session, about: Json): Promise<object> {
  const outfit = await outfitFor({
    session,
    about,
    signal: new AbortController().signal,
    askPeople: () => Promise.reject(new Error('Nothing runs yet.')),
    post: async () => false,
    now: () => session,
  });
  const manifest = manifestOf(session, outfit);
  await outfit.close?.();
  return manifest;
}
