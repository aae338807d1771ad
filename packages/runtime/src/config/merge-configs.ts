import type { BudgetLimits } from '@pawl/core';
import { knownProviders } from '../models/providers/known-providers.ts';
import { permissionModes, type PermissionMode } from '../permission/modes.ts';
import { configVariables } from './environment-config.ts';
import type { AgentKeys, Config, ConfigHooks, TelemetryKeys } from './config.ts';

/** The configuration layers, from lowest to highest precedence. */
export type ConfigLayers = {
  readonly user: Config;
  readonly project: Config;
  readonly environment: Config;
  readonly flags: Config;
};

/**
 * Merges the user's, the project's, the environment's and the command line's configuration. Later layers win, with
 * exceptions that prevent a project from loosening the user's settings: the stricter permission mode, the smaller
 * budget and the user's prices apply. Rules and hooks are concatenated. A base URL applies only together with the model
 * of the same layer. Telemetry settings of a project are ignored.
 */
export function mergeConfigs({
  user = {},
  project = {},
  environment = {},
  flags = {},
}: Partial<ConfigLayers>): Config {
  const layers = [user, project, environment, flags];
  return omitUndefined({
    ...mergeModel({ user, project, environment, flags }),
    summaryModel: findLastValue(layers, 'summaryModel'),
    profile: findLastValue(layers, 'profile'),
    testCommand: findLastValue(layers, 'testCommand'),
    store: findLastValue(layers, 'store'),
    permission: mergePermission({ user, project, environment, flags }),
    mcpServers: mergeServers(layers),
    hooks: mergeHooks(layers),
    budgets: mergeConfigBudgets(user, project, flags),
    prices: mergeNamedEntries(project.prices, user.prices, flags.prices),
    agent: mergeAgentKeys(layers),
    toolLimits: mergeNamedEntries(user.toolLimits, project.toolLimits, flags.toolLimits),
    projectInstructions: mergeProjectInstructions(layers),
    telemetry: mergeTelemetry([user, environment, flags]),
  });
}

function omitUndefined(config: { readonly [Key in keyof Config]: Config[Key] | undefined }): Config {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

function findLastValue(
  layers: readonly Config[],
  key: 'summaryModel' | 'profile' | 'store' | 'testCommand',
): string | undefined {
  return layers.findLast((layer) => layer[key] !== undefined)?.[key];
}

/**
 * Prevents an API key from being sent to the address of another model. A base URL on the command line applies to any
 * model; the environment variable applies only to self-hosted providers, because the others have their own variables.
 */
function mergeModel({ flags, environment, ...files }: ConfigLayers): Pick<Config, 'model' | 'baseUrl'> {
  const modelLayer = [files.user, files.project, environment, flags].findLast(
    ({ model }) => model !== undefined,
  );
  const fromVariable = isSelfHosted(modelLayer?.model) ? environment.baseUrl : undefined;
  const fileBaseUrl = modelLayer === environment ? undefined : modelLayer?.baseUrl;
  const baseUrl = flags.baseUrl ?? fromVariable ?? fileBaseUrl;
  return {
    ...(modelLayer?.model !== undefined && { model: modelLayer.model }),
    ...(baseUrl !== undefined && { baseUrl }),
  };
}

function isSelfHosted(model: string | undefined): boolean {
  const [name = ''] = (model ?? '').split(':', 1);
  const provider = knownProviders.get(name.trim().toLowerCase());
  return provider !== undefined && provider.baseUrlKeys.includes(configVariables.baseUrl);
}

/** Applies if no layer sets a mode. */
const defaultPermissionMode: PermissionMode = 'ask';

function mergePermission({ user, project, environment, flags }: ConfigLayers): Config['permission'] {
  const rules = [user, project, environment, flags].flatMap((layer) => layer.permission?.rules ?? []);
  const explicitMode = flags.permission?.mode ?? environment.permission?.mode;
  const mode = explicitMode ?? selectStricterMode(user.permission?.mode, project.permission?.mode);
  if (mode === undefined && rules.length === 0) return undefined;
  return { ...(mode !== undefined && { mode }), rules };
}

function selectStricterMode(
  user: PermissionMode | undefined,
  project: PermissionMode | undefined,
): PermissionMode | undefined {
  if (project === undefined) return user;
  const userMode = user ?? defaultPermissionMode;
  // `permissionModes` is ordered from strictest to loosest.
  return permissionModes.indexOf(project) < permissionModes.indexOf(userMode) ? project : userMode;
}

function mergeServers(layers: readonly Config[]): Config['mcpServers'] {
  const servers = layers.flatMap((layer) => layer.mcpServers ?? []);
  if (servers.length === 0) return undefined;
  return [...new Map(servers.map((server) => [server.name, server])).values()];
}

function mergeHooks(layers: readonly Config[]): ConfigHooks | undefined {
  const hookConfigs = layers.flatMap(({ hooks }) => (hooks === undefined ? [] : [hooks]));
  if (hookConfigs.length === 0) return undefined;
  const autoCommit = hookConfigs.findLast((hooks) => hooks.autoCommit !== undefined)?.autoCommit;
  return {
    beforeTool: hookConfigs.flatMap(({ beforeTool = [] }) => beforeTool),
    afterTools: hookConfigs.flatMap(({ afterTools = [] }) => afterTools),
    finish: hookConfigs.flatMap(({ finish = [] }) => finish),
    ...(autoCommit !== undefined && { autoCommit }),
  };
}

const budgetKeys: readonly (keyof BudgetLimits)[] = ['modelCalls', 'toolCalls', 'tokens', 'cost', 'wallMs'];

function mergeConfigBudgets(user: Config, project: Config, flags: Config): Config['budgets'] {
  const entries = budgetKeys.flatMap((key) => {
    const flagValue = flags.budgets?.[key];
    const fileValues = [user.budgets?.[key], project.budgets?.[key]].filter(
      (each) => typeof each === 'number',
    );
    if (flagValue !== undefined) return [[key, flagValue] as const];
    return fileValues.length === 0 ? [] : [[key, Math.min(...fileValues)] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Off in any layer is off: a project cannot turn its own instructions on again. */
function mergeProjectInstructions(layers: readonly Config[]): boolean | undefined {
  const values = layers.flatMap(({ projectInstructions: value }) => (value === undefined ? [] : [value]));
  return values.length === 0 ? undefined : values.every(Boolean);
}

/** Merges key by key; later layers win. Headers apply only to the endpoint of the same layer. */
function mergeTelemetry(layers: readonly Config[]): Config['telemetry'] {
  const sections = layers.flatMap(({ telemetry }) => (telemetry === undefined ? [] : [telemetry]));
  if (sections.length === 0) return undefined;
  const { headers: _, ...merged }: TelemetryKeys = Object.assign({}, ...sections) as TelemetryKeys;
  const headers = sections.findLast(({ otlp }) => otlp !== undefined)?.headers;
  return { ...merged, ...(headers !== undefined && { headers }) };
}

/** Merges key by key; later layers win. */
function mergeAgentKeys(layers: readonly Config[]): Config['agent'] {
  const sections = layers.flatMap(({ agent }) => (agent === undefined ? [] : [agent]));
  if (sections.length === 0) return undefined;
  const machines = sections.map((agent) => agent.state_machine).filter((each) => each !== undefined);
  return {
    ...Object.assign({}, ...sections),
    ...(machines.length > 0 && { state_machine: Object.assign({}, ...machines) as object }),
  } as AgentKeys;
}

type NamedEntries<Value> = { readonly [name: string]: Value };

/** Merges entries as a whole; later layers win. */
function mergeNamedEntries<Value>(
  ...layers: readonly (NamedEntries<Value> | undefined)[]
): NamedEntries<Value> | undefined {
  const entries = layers.flatMap((layer) => Object.entries(layer ?? {}));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
