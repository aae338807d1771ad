import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSession, type Budgets, type Json, type Profile, type Session } from '@pawl/core';
import type { CreateSession, Prepare } from '@pawl/dashboard';
import { memoryTools, withAgentKeys } from '@pawl/runtime';
import type { OutfitFor } from '@pawl/worker';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { filledUp } from './budget-options.ts';
import { configOf, withModel } from './config-flags.ts';
import type { ModelFlags } from './model-options.ts';
import { profileNamed } from './profile-option.ts';
import { aboutOf } from './run-about.ts';
import { configFor } from './run-config.ts';

export type PrepareOptions = {
  /** The folder that sessions work in which name none. */
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
    const { session, about } = await planned(asked, id, dir);
    if (outfitFor === null) return { session, about };
    return { session, about: { ...Object(about), ...(await toldOf(outfitFor, session, about)) } };
  };
}

type Planned = { readonly session: Session; readonly about: Json };

async function planned(asked: CreateSession, id: string, home: string): Promise<Planned> {
  const dir = realFolder(asked.dir ?? home);
  const flags: ModelFlags & { readonly profile?: string; readonly mode?: string } = {
    ...(asked.model !== undefined && { model: asked.model }),
    ...(asked.profile !== undefined && { profile: asked.profile }),
    ...(asked.mode !== undefined && { mode: asked.mode }),
  };
  const { config } = await configFor(dir, configOf(flags), null);
  const name = config.profile ?? 'pawl';
  const { profile } = withAgentKeys(await profileNamed(name), config);
  checkCanRunHere(profile);
  const used = { ...flags, ...withModel(flags, config) };
  const budgets = filledUp(filledUp(budgetsIn(asked), config.budgets), profile.settings.budgets);
  const settings = { ...profile.settings, budgets };
  return {
    session: createSession({ id, at: Date.now(), profile: profile.name, settings }),
    about: aboutOf({ ...used, dir, model: used.model ?? 'librarian', profile: name }),
  };
}

function budgetsIn({ budgets = {} }: CreateSession): Budgets {
  const { modelCalls = null, toolCalls = null, tokens = null, cost = null, wallMs = null } = budgets;
  return { modelCalls, toolCalls, tokens, cost, wallMs };
}

/** Those of LKJAgent keep their memory in files of the folder, which only `pawl run` writes. */
function checkCanRunHere({ name, settings }: Profile): void {
  const chart = settings.chart?.name;
  if (chart !== 'lkj' && chart !== 'lkj1') return;
  throw new UsageError(
    `The profile ${name} keeps its memory in files of the folder. Run it there: pawl run --profile ${name}`,
  );
}

function realFolder(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    throw new UsageError(`There is no folder ${JSON.stringify(visibleLine(resolve(dir)))}.`);
  }
}

/** What the model will be told besides the session. */
async function toldOf(outfitFor: OutfitFor, session: Session, about: Json): Promise<object> {
  const {
    close,
    prompt = '',
    tools,
    memory,
  } = await outfitFor({
    session,
    about,
    signal: new AbortController().signal,
    askPeople: () => Promise.reject(new Error('Nothing runs yet.')),
    post: async () => false,
    now: () => session,
  });
  const offered =
    session.memory === null || memory === undefined ? tools : [...tools, ...memoryTools(memory)];
  await close?.();
  return { prompt, tools: offered.map(({ description }) => ({ ...description })) };
}
