import { replaceConfigKeys, findProfile, builtInProfiles, type Profile } from '@pawl/core/profiles';
import {
  createSession,
  defaultSettings,
  type BudgetLimits,
  type Json,
  type Session,
  type SessionSettings,
} from '@pawl/core';
import type { LkjConfig, LkjProfile } from '@pawl/core/lkj';
import { createMemory, memorySettings } from '@pawl/core/memory';
import { createLkj1Chart, createLkjChart, resumeMode, type ModeChart } from '@pawl/core/modes';
import type { EventPoster } from '../ports/agent-ports.ts';
import type { AgentOptions, StepResult } from '../agent/agent.ts';
import { systemClock, type RuntimeClock } from '../platform/clock.ts';
import { openFolderStorage } from '../memory/folder-storage.ts';
import { createInMemoryStorage } from '../memory/in-memory-storage.ts';
import { createMemoryManager } from '../memory/memory-manager.ts';
import { createMemoryTools } from '../memory/memory-tools.ts';
import type { EntryStorage } from '../memory/storage.ts';
import { indexFolder, type FolderIndex } from '../search/index-folder.ts';
import { createLibrarianTools } from '../tools/librarian-tools.ts';
import { createPhaseTools } from '../tools/phases.ts';
import type { Tool, ToolDescription } from '../tools/tool.ts';
import { fillMissingBudgets, AgentConfigError, type AgentModelConfig } from './run-options.ts';
import { createProfileModel, createSummaryModel, getCodecOptions } from './agent-model.ts';
import type { CodingPrompt } from './coding-prompt.ts';
import type { AgentToolConfig } from './coding-setup.ts';
import { isDataFilePath, type Config } from '../config/config.ts';
import { formatUnknownName } from '../text/nearest-name.ts';

/** The ports that an observer may wrap. */
export type ObservedPorts = Pick<AgentOptions, 'model' | 'summaryModel' | 'tools' | 'hooks'>;

/** Observes one agent, for example to trace it. */
export type AgentObserver = {
  /** Receives every step result. */
  readonly observe?: (result: StepResult) => void;
  /** Wraps the agent's ports before it starts. */
  readonly runInContext?: (ports: ObservedPorts) => ObservedPorts;
  /** Called when the agent is closed. */
  readonly end?: () => void;
};

/** What an agent consists of, for a new and for a stored session alike. */
export type AgentSetupConfig = AgentModelConfig &
  AgentToolConfig & {
    /** A profile, its name, or the path of a profile file; `pawl` by default. */
    readonly profile?: Profile | string | undefined;
    /** The folder that the agent works in. Without it, the agent has only its own tools. */
    readonly workspace?: FolderIndex | string | undefined;
    /** Storage for entries that leave working memory; by default the workspace's file on this machine. */
    readonly memory?: EntryStorage | undefined;
    /** Settings of a new session that differ from the profile's, such as those of the governor. */
    readonly settings?: Partial<SessionSettings> | undefined;
    /** Budgets of a new session. Limits that are not set come from the profile. */
    readonly budgets?: Partial<BudgetLimits> | null | undefined;
    /**
     * System prompt. By default that of a coding agent if there is a workspace, with a description of the environment and
     * the project's AGENTS.md files.
     */
    readonly prompt?: string | undefined;
    /** Created for the session, in this order. */
    readonly observers?: readonly ((session: Session) => AgentObserver)[] | undefined;
    readonly clock?: RuntimeClock | undefined;
    /** Cancels the setup. */
    readonly signal?: AbortSignal | undefined;
    /** Receives one line for each failure that does not stop the agent, such as that of a hook. */
    readonly report?: ((line: string) => void) | undefined;
  };

export type AgentSetupContext = {
  readonly id: string;
  /** The session to resume; null for a new one. */
  readonly session: Session | null;
  /** Posts an event to the agent, once it exists. */
  readonly post: EventPoster;
  /** Returns the current session of the agent. */
  readonly getSession: () => Session;
};

/** The options of an agent and what belongs to its lifetime. */
export type PreparedAgent = {
  readonly options: AgentOptions & { readonly session: Session };
  readonly warnings: readonly string[];
  /** Receives every step result that the agent's observer receives. */
  readonly observe: (result: StepResult) => void;
  /** Writes the files that follow the session; call it after each durable event, in order. */
  readonly saveFiles: (session: Session) => Promise<void>;
  readonly close: () => Promise<void>;
};

type SetupContext = AgentSetupContext & {
  readonly profile: Profile;
  readonly folder: FolderIndex | null;
  readonly phases: readonly Tool[];
  readonly clock: RuntimeClock;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
};

/**
 * Prepares an agent. The offline librarian works in every profile; in the LKJAgent profiles it follows their protocol
 * and writes their files.
 */
export async function prepareAgent(
  config: AgentSetupConfig,
  context: AgentSetupContext,
): Promise<PreparedAgent> {
  const { workspace, clock = systemClock, signal = new AbortController().signal } = config;
  const { profile: named = 'pawl', report = emitSetupWarning } = config;
  const profile = typeof named === 'string' ? await resolveProfile(named) : named;
  const folder =
    typeof workspace === 'string' ? await indexFolder(workspace, { signal }) : (workspace ?? null);
  const closeFolder = (): void => {
    if (typeof workspace === 'string') folder?.[Symbol.dispose]();
  };
  try {
    const phases = createPhaseTools({ post: context.post, phases: () => context.getSession().phases });
    const setup = { ...context, profile, folder, phases, clock, signal, report };
    const chart = profile.settings.chart?.name;
    const summaryModel = await createSummaryModel(config);
    const prepared = await (chart === 'lkj' || chart === 'lkj1'
      ? prepareLkjAgent(config, setup, chart)
      : prepareStandardAgent(config, setup));
    return addObservers(
      config,
      { ...prepared, options: { ...prepared.options, summaryModel, clock } },
      phases,
      closeFolder,
    );
  } catch (error) {
    closeFolder();
    throw error;
  }
}

function addObservers(
  { observers: factories = [] }: AgentSetupConfig,
  { options, ...prepared }: PreparedAgent,
  phases: readonly Tool[],
  closeFolder: () => void,
): PreparedAgent {
  const { session } = options;
  const observers = factories.map((createObserver) => createObserver(session));
  const tools = session.mode === null ? [...options.tools, ...phases] : options.tools;
  let wrapped = { ...options, tools };
  for (const { runInContext } of observers)
    if (runInContext !== undefined) wrapped = { ...wrapped, ...runInContext(wrapped) };
  return {
    ...prepared,
    options: wrapped,
    observe(result) {
      for (const { observe } of observers) observe?.(result);
      prepared.observe(result);
    },
    async close() {
      for (const { end } of observers) end?.();
      await prepared.close();
      closeFolder();
    },
  };
}

function emitSetupWarning(line: string): void {
  process.emitWarning(line, 'PawlWarning');
}

/** The prompt and the tools of an agent, which its session does not contain. */
export type AgentManifest = { readonly prompt: string; readonly tools: readonly ToolDescription[] };

/** Creates the manifest that is stored with a session. */
export function createAgentManifest(
  session: Session,
  { prompt = '', tools, memory }: Pick<AgentOptions, 'prompt' | 'tools' | 'memory'>,
): AgentManifest {
  const offered =
    session.memory === null || memory === undefined ? tools : [...tools, ...createMemoryTools(memory)];
  return { prompt, tools: offered.map(({ description }) => ({ ...description })) };
}

const passiveSetup = {
  warnings: [],
  observe: () => undefined,
  saveFiles: async () => undefined,
  close: async () => undefined,
};

/** The librarian only reads; any other model gets the coding tools, under permission rules. */
async function prepareStandardAgent(config: AgentSetupConfig, context: SetupContext): Promise<PreparedAgent> {
  const { profile, id, clock } = context;
  const model = await createProfileModel(config, profile, getCodecOptions(profile.settings.chart));
  const { model: spec = 'librarian', tools = [] } = config;
  const isReader = spec === 'librarian' && tools.length === 0;
  const { options, ...ports } = await (isReader
    ? prepareReaderTools(config, context)
    : prepareCodingTools(config, context));
  const isAttended = !isReader && (config.ask?.permission ?? null) !== null;
  const settings = toInitialSettings(config, profile.settings, isAttended);
  const session = context.session ?? createSession({ id, at: clock.now(), profile: profile.name, settings });
  const memory = createMemoryManager({
    memory: session.memory ?? createMemory(memorySettings.pawl),
    storage: config.memory ?? openDefaultStorage(context.folder),
    clock,
  });
  return { ...ports, options: { ...options, model, memory, session } };
}

/** The part of an agent that depends on its tools. */
type PreparedTools = Omit<PreparedAgent, 'options'> & {
  readonly options: Pick<AgentOptions, 'tools' | 'prompt' | 'rules' | 'decide' | 'hooks'>;
};

async function prepareReaderTools(
  { prompt }: AgentSetupConfig,
  { folder }: SetupContext,
): Promise<PreparedTools> {
  const tools = folder === null ? [] : createLibrarianTools(folder);
  return { ...passiveSetup, options: { tools, ...(prompt !== undefined && { prompt }) } };
}

async function prepareCodingTools(config: AgentSetupConfig, context: SetupContext): Promise<PreparedTools> {
  // Most of the runtime: a run without a hosted model never needs it.
  const { createCodingSetup } = await import('./coding-setup.ts');
  const prompt = await prepareCodingPrompt(config, context);
  const { onEnd, warnings, close, ...options } = await createCodingSetup({ ...config, ...context });
  return {
    options: { ...options, prompt: prompt.text },
    warnings: [...prompt.warnings, ...warnings],
    observe: (result) => onEnd.observe(result),
    saveFiles: async () => undefined,
    close,
  };
}

async function prepareCodingPrompt(
  { prompt, projectInstructions = true }: AgentSetupConfig,
  { folder, clock, signal }: SetupContext,
): Promise<CodingPrompt> {
  if (prompt !== undefined || folder === null) return { text: prompt ?? '', warnings: [] };
  const { buildCodingPrompt } = await import('./coding-prompt.ts');
  return buildCodingPrompt({ folder, projectInstructions, at: clock.now(), signal });
}

function openDefaultStorage(folder: FolderIndex | null): EntryStorage {
  return folder === null ? createInMemoryStorage() : openFolderStorage(folder.root);
}

/** The settings of a new session. */
function toInitialSettings(
  config: AgentSetupConfig,
  profileSettings: Partial<SessionSettings>,
  isAttended: boolean,
): Partial<SessionSettings> {
  const settings = { ...profileSettings, ...config.settings };
  const governor = { ...defaultSettings.governor, ...settings.governor };
  return {
    ...settings,
    ...(isAttended && { governor: { ...governor, attended: true } }),
    budgets: fillMissingBudgets(config.budgets, settings.budgets),
  };
}

async function prepareLkjAgent(
  config: AgentSetupConfig,
  { folder, profile, id, clock, session: stored }: SetupContext,
  name: LkjProfile,
): Promise<PreparedAgent> {
  if (folder === null) {
    throw new AgentConfigError(
      `The profile ${profile.name} stores its memory in files and needs a workspace.`,
    );
  }
  const model = await createProfileModel(config, profile, getCodecOptions(profile.settings.chart));
  const { openLkjFolder } = await import('../memory/lkj-memory.ts');
  const { config: lkjConfig, store } = await openLkjFolder(folder.root, name, clock);
  const tools = [...createLibrarianTools(folder), ...(config.tools ?? [])];
  const actions = [...lkjConfig.memory.actions, ...tools.map(({ description }) => description.name)];
  const chart = buildLkjChart(name, lkjConfig, actions);
  const at = clock.now();
  const { mode, warning } = resumeMode(chart, store.state, at);
  const settings = {
    ...profile.settings,
    chart,
    memory: lkjConfig.memory,
    budgets: toIterationBudget(lkjConfig),
  };
  const initial = createSession({
    id,
    at,
    profile: profile.name,
    settings: toInitialSettings(config, settings, false),
  });
  const session = stored ?? { ...initial, mode, memory: store.manager.memory };
  // The events are authoritative, because the files may lag one event behind.
  if (session.memory !== null) store.manager.sync(session.memory);
  const { prompt } = config;
  return {
    ...passiveSetup,
    options: { model, tools, memory: store.manager, session, ...(prompt !== undefined && { prompt }) },
    warnings: [
      ...store.warnings,
      ...(warning === null ? [] : [warning]),
      ...lkjConfig.unknown.map((path) => `Unknown key ${path} in data/config.json; it is ignored.`),
    ],
    saveFiles: ({ mode: after }) => store.endCycle(after?.state ?? 'thinking'),
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

/** Resolves a name to a built-in profile and a path to a profile file. */
export async function resolveProfile(nameOrPath: string): Promise<Profile> {
  const profile = findProfile(nameOrPath);
  if (profile !== undefined) return profile;
  if (isDataFilePath(nameOrPath)) {
    const { readProfileFile } = await import('../profiles/read-profile-file.ts');
    return readProfileFile(nameOrPath);
  }
  const names = builtInProfiles.map(({ name }) => name);
  throw new AgentConfigError(formatUnknownName('profile', nameOrPath, names));
}

export type ProfileWithKeys = { readonly profile: Profile; readonly warnings: readonly string[] };

/**
 * Applies the `agent` keys of the configuration to a profile. These keys use the spelling of two other agent systems.
 * Keys that do not apply to the profile are ignored with a warning.
 */
export function applyAgentKeys(profile: Profile, { agent = {} }: Config): ProfileWithKeys {
  const { max_retries: maxRetries, state_machine: keys } = agent;
  const { governor } = profile.settings;
  const isNexora = governor?.preset === 'nexora' || governor?.preset === 'nexora-lenient';
  const settings = {
    ...profile.settings,
    ...(maxRetries !== undefined && { maxRetries }),
    ...(keys !== undefined &&
      isNexora && { governor: { ...governor, config: replaceConfigKeys(governor.config, keys) } }),
  };
  const warnings =
    keys === undefined || isNexora
      ? []
      : [
          `agent.state_machine was ignored: it applies only to the nexora governor, which the profile ${profile.name} does not use.`,
        ];
  return { profile: { ...profile, settings }, warnings };
}
