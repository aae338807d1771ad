import {
  createSession,
  defaultSettings,
  createMemory,
  createLkj1Chart,
  createLkjChart,
  memorySettings,
  resumeMode,
  type BudgetLimits,
  type Json,
  type LkjConfig,
  type LkjProfile,
  type ModeChart,
  type Profile,
  type Session,
  type SessionSettings,
} from '@pawl/core';
import {
  createMemoryManager,
  createLibrarianTools,
  MemoryFileError,
  openLkjFolder,
  systemClock,
  type AgentOptions,
  type Config,
  type FolderIndex,
  type StepResult,
  type EntryStorage,
  type Tool,
} from '@pawl/runtime';
import type { TerminalPrompt } from '../terminal-prompt.ts';
import { toUsageError } from '../usage-error.ts';
import { fillMissingBudgets } from './budget-options.ts';
import { createProfileModel, createSummaryModel, type ModelFlags, getCodecOptions } from './model-options.ts';
import { createCodingSetup } from './coding-setup.ts';
import type { QuestionHandlers } from './run-view.ts';

/** The setup of a run: the agent's options, and hooks to persist its state. */
export type RunSetup = {
  readonly means: Omit<AgentOptions, 'observe'> & { readonly session: Session };
  readonly warnings: readonly string[];
  /** Persists what a cycle changed; called after each cycle, in order. */
  readonly keep: (session: Session) => Promise<void>;
  readonly see: (seen: StepResult) => void;
  readonly close: () => Promise<void>;
};

type RunSetupOptions = {
  readonly folder: FolderIndex;
  readonly profile: Profile;
  readonly budgets: BudgetLimits | null;
  readonly flags: ModelFlags;
  readonly config: Config;
  readonly terminal: TerminalPrompt | null;
  readonly asks: QuestionHandlers;
  readonly phases: readonly Tool[];
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
  readonly id: string;
  /** The session to resume; null for a new one. */
  readonly session: Session | null;
  /** Storage for entries that leave working memory. */
  readonly storage: EntryStorage;
};

const defaultSetupHooks = { keep: async () => undefined, see: () => undefined, close: async () => undefined };

/**
 * Creates the setup of a run. The offline librarian works in every profile; in the LKJAgent profiles it follows their
 * protocol and writes their files.
 */
export async function createRunSetup(options: RunSetupOptions): Promise<RunSetup> {
  const chart = options.profile.settings.chart?.name;
  const summaryModel = await createSummaryModel(options.flags, options.config);
  const setup = await (chart === 'lkj' || chart === 'lkj1'
    ? createLkjSetup(options, chart)
    : createStandardSetup(options));
  return { ...setup, means: { ...setup.means, summaryModel } };
}

/** The librarian only reads; any other model gets the coding tools, under permission rules. */
async function createStandardSetup(options: RunSetupOptions): Promise<RunSetup> {
  const { folder, profile, budgets, flags, id } = options;
  const model = await createProfileModel(flags, profile, getCodecOptions(profile.settings.chart));
  const isLibrarian = (flags.model ?? 'librarian') === 'librarian';
  const coder = isLibrarian ? null : await createCodingSetup(options);
  const governor = { ...defaultSettings.governor, ...profile.settings.governor };
  const attended = coder?.attended === true ? { governor: { ...governor, attended: true } } : {};
  const settings = applyBudgets({ ...profile.settings, ...attended }, budgets);
  const session = options.session ?? createSession({ id, at: Date.now(), profile: profile.name, settings });
  const memory = session.memory ?? createMemory(memorySettings.pawl);
  const manager = createMemoryManager({ memory, storage: options.storage, clock: systemClock });
  if (coder === null) {
    const means = { model, tools: createLibrarianTools(folder), memory: manager, session };
    return { means, warnings: [], ...defaultSetupHooks };
  }
  const { tools, rules, decide, hooks, prompt, warnings, onEnd } = coder;
  return {
    means: {
      model,
      tools,
      memory: manager,
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

async function createLkjSetup(options: RunSetupOptions, name: LkjProfile): Promise<RunSetup> {
  const { folder, profile, budgets, flags, id } = options;
  const model = await createProfileModel(flags, profile, getCodecOptions(profile.settings.chart));
  const { config, store } = await openLkjFolder(folder.root, name, systemClock).catch((error: unknown) => {
    throw toUsageError(error, MemoryFileError);
  });
  const tools = createLibrarianTools(folder);
  const actions = [...config.memory.actions, ...tools.map(({ description }) => description.name)];
  const chart = buildLkjChart(name, config, actions);
  const at = Date.now();
  const { mode, warning } = resumeMode(chart, store.state, at);
  const settings = { ...profile.settings, chart, memory: config.memory, budgets: toIterationBudget(config) };
  const initial = createSession({
    id,
    at,
    profile: profile.name,
    settings: applyBudgets(settings, budgets),
  });
  const session = options.session ?? { ...initial, mode, memory: store.manager.memory };
  // The events are authoritative, because the files may lag one event behind.
  if (session.memory !== null) store.manager.sync(session.memory);
  return {
    ...defaultSetupHooks,
    means: {
      model,
      tools,
      memory: store.manager,
      session,
    },
    warnings: [
      ...store.warnings,
      ...(warning === null ? [] : [warning]),
      ...config.unknown.map((path) => `Unknown key ${path} in data/config.json; it is ignored.`),
    ],
    keep: ({ mode: after }) => store.endCycle(after?.state ?? 'thinking'),
  };
}

/** Prompts of the configuration override the chart's own. */
function buildLkjChart(
  name: LkjProfile,
  { iterate, prompts }: LkjConfig,
  actions: readonly string[],
): ModeChart {
  const options = { actions, maxIterations: iterate.enable ? iterate.maxIterations : null };
  const chart: ModeChart = name === 'lkj' ? createLkjChart(options) : createLkj1Chart(options);
  const getPrompt = (key: string, otherwise: string): string =>
    Object.hasOwn(prompts, key) ? toPromptText(prompts[key] ?? null) : otherwise;
  return {
    ...chart,
    prompt: getPrompt('base', chart.prompt),
    states: chart.states.map((state) => ({ ...state, prompt: getPrompt(state.name, state.prompt) })),
  };
}

function toPromptText(prompt: Json): string {
  return typeof prompt === 'string' ? prompt : JSON.stringify(prompt, null, 2);
}

function toIterationBudget({ iterate: { enable, maxIterations } }: LkjConfig): BudgetLimits | null {
  const modelCalls = enable ? maxIterations : null;
  return modelCalls === null ? null : { modelCalls, toolCalls: null, tokens: null, cost: null, wallMs: null };
}

/** Budgets of the command line override those of the profile. */
function applyBudgets(
  settings: Partial<SessionSettings>,
  limits: BudgetLimits | null,
): Partial<SessionSettings> {
  return { ...settings, budgets: fillMissingBudgets(limits, settings.budgets) };
}
