import {
  createSession,
  defaultSettings,
  emptyMemory,
  lkj1Chart,
  lkjChart,
  memorySettings,
  resumeMode,
  type Budgets,
  type Json,
  type LkjConfig,
  type LkjProfile,
  type ModeChart,
  type Profile,
  type Session,
  type Settings,
} from '@pawl/core';
import {
  createMemoryKeeper,
  librarianTools,
  MemoryFileError,
  openLkjFolder,
  systemClock,
  type AgentOptions,
  type Config,
  type FolderIndex,
  type Seen,
  type Storage,
  type Tool,
} from '@pawl/runtime';
import type { Terminal } from '../terminal.ts';
import { asUsageError } from '../usage-error.ts';
import { filledUp } from './budget-options.ts';
import { modelFor, summaryModelFor, type ModelFlags, mannerFor } from './model-options.ts';
import { setUpCoder } from './run-coder.ts';
import type { Asks } from './run-view.ts';

/** What a run is set up with: the agent's means, and what is to be kept of it. */
export type RunSetup = {
  readonly means: Omit<AgentOptions, 'observe'> & { readonly session: Session };
  readonly warnings: readonly string[];
  /** Keeps what a cycle has changed; called after each, in order. */
  readonly keep: (session: Session) => Promise<void>;
  readonly see: (seen: Seen) => void;
  readonly close: () => Promise<void>;
};

type Asked = {
  readonly folder: FolderIndex;
  readonly profile: Profile;
  readonly budgets: Budgets | null;
  readonly flags: ModelFlags;
  readonly config: Config;
  readonly terminal: Terminal | null;
  readonly asks: Asks;
  readonly phases: readonly Tool[];
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
  readonly id: string;
  /** A session to go on with; null for a new one. */
  readonly session: Session | null;
  /** Where what leaves the memory is kept. */
  readonly storage: Storage;
};

const nothingElse = { keep: async () => undefined, see: () => undefined, close: async () => undefined };

/** Offline, the librarian works in every profile; in those of LKJAgent it does so in their manner and keeps their files. */
export async function setUp(asked: Asked): Promise<RunSetup> {
  const chart = asked.profile.settings.chart?.name;
  const summaryModel = await summaryModelFor(asked.flags, asked.config);
  const setup = await (chart === 'lkj' || chart === 'lkj1' ? setUpLkj(asked, chart) : plainly(asked));
  return { ...setup, means: { ...setup.means, summaryModel } };
}

/** The librarian looks things up; any other model is trusted with more, under rules. */
async function plainly(asked: Asked): Promise<RunSetup> {
  const { folder, profile, budgets, flags, id } = asked;
  const model = await modelFor(flags, profile, mannerFor(profile.settings.chart));
  const isLibrarian = (flags.model ?? 'librarian') === 'librarian';
  const coder = isLibrarian ? null : await setUpCoder(asked);
  const governor = { ...defaultSettings.governor, ...profile.settings.governor };
  const attended = coder?.attended === true ? { governor: { ...governor, attended: true } } : {};
  const settings = withBudgets({ ...profile.settings, ...attended }, budgets);
  const session = asked.session ?? createSession({ id, at: Date.now(), profile: profile.name, settings });
  const memory = session.memory ?? emptyMemory(memorySettings.pawl);
  const keeper = createMemoryKeeper({ memory, storage: asked.storage, clock: systemClock });
  if (coder === null) {
    const means = { model, tools: librarianTools(folder), memory: keeper, session };
    return { means, warnings: [], ...nothingElse };
  }
  const { tools, rules, decide, hooks, prompt, warnings, onEnd } = coder;
  return {
    means: {
      model,
      tools,
      memory: keeper,
      session,
      prompt,
      ...(rules && { rules }),
      ...(decide && { decide }),
      ...(hooks && { hooks }),
    },
    warnings,
    keep: async () => undefined,
    see: (seen) => onEnd.observe(seen),
    close: () => coder.close(),
  };
}

async function setUpLkj(asked: Asked, name: LkjProfile): Promise<RunSetup> {
  const { folder, profile, budgets, flags, id } = asked;
  const model = await modelFor(flags, profile, mannerFor(profile.settings.chart));
  const { config, store } = await openLkjFolder(folder.root, name, systemClock).catch((error: unknown) => {
    throw asUsageError(error, MemoryFileError);
  });
  const tools = librarianTools(folder);
  const actions = [...config.memory.actions, ...tools.map(({ description }) => description.name)];
  const chart = chartFor(name, config, actions);
  const at = Date.now();
  const { mode, warning } = resumeMode(chart, store.state, at);
  const settings = { ...profile.settings, chart, memory: config.memory, budgets: cycles(config) };
  const fresh = createSession({
    id,
    at,
    profile: profile.name,
    settings: withBudgets(settings, budgets),
  });
  const session = asked.session ?? { ...fresh, mode, memory: store.keeper.memory };
  // What the events tell counts: the files may be one of them behind.
  if (session.memory !== null) store.keeper.sync(session.memory);
  return {
    ...nothingElse,
    means: {
      model,
      tools,
      memory: store.keeper,
      session,
    },
    warnings: [
      ...store.warnings,
      ...(warning === null ? [] : [warning]),
      ...config.unknown.map((path) => `Nothing reads ${path} in data/config.json.`),
    ],
    keep: ({ mode: after }) => store.endCycle(after?.state ?? 'thinking'),
  };
}

/** The prompts of the configuration stand in the place of the chart's own. */
function chartFor(name: LkjProfile, { iterate, prompts }: LkjConfig, actions: readonly string[]): ModeChart {
  const options = { actions, maxIterations: iterate.enable ? iterate.maxIterations : null };
  const chart: ModeChart = name === 'lkj' ? lkjChart(options) : lkj1Chart(options);
  const promptOf = (key: string, otherwise: string): string =>
    Object.hasOwn(prompts, key) ? asText(prompts[key] ?? null) : otherwise;
  return {
    ...chart,
    prompt: promptOf('base', chart.prompt),
    states: chart.states.map((state) => ({ ...state, prompt: promptOf(state.name, state.prompt) })),
  };
}

function asText(prompt: Json): string {
  return typeof prompt === 'string' ? prompt : JSON.stringify(prompt, null, 2);
}

function cycles({ iterate: { enable, maxIterations } }: LkjConfig): Budgets | null {
  const modelCalls = enable ? maxIterations : null;
  return modelCalls === null ? null : { modelCalls, toolCalls: null, tokens: null, cost: null, wallMs: null };
}

/** What the command line asks for goes before what the profile says. */
function withBudgets(settings: Partial<Settings>, asked: Budgets | null): Partial<Settings> {
  return { ...settings, budgets: filledUp(asked, settings.budgets) };
}
