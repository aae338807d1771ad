import type { Budgets } from '@pawl/core';
import { knownProviders } from '../models/providers/known-providers.ts';
import { permissionModes, type PermissionMode } from '../permission/modes.ts';
import { configVariables } from './config-from-environment.ts';
import type { AgentKeys, Config, ConfigHooks, TelemetryKeys } from './config.ts';

/** Who has a say in the configuration, the weakest first. */
export type ConfigLayers = {
  readonly user: Config;
  readonly project: Config;
  readonly environment: Config;
  readonly flags: Config;
};

/**
 * One configuration out of four: the user's, the project's, what the environment sets, and what stands on the command line.
 * Each wins over those before it, with these exceptions, which keep a project from loosening what the user set: of the
 * modes of permission the stricter counts, of two budgets the smaller, and the user's prices come before the project's.
 * Rules and hooks add up. A base URL is never taken without the model it stands beside. Where what sessions do is sent to is no
 * matter of a project.
 */
export function mergeConfigs({
  user = {},
  project = {},
  environment = {},
  flags = {},
}: Partial<ConfigLayers>): Config {
  const layers = [user, project, environment, flags];
  return defined({
    ...modelOf({ user, project, environment, flags }),
    summaryModel: last(layers, 'summaryModel'),
    profile: last(layers, 'profile'),
    testCommand: last(layers, 'testCommand'),
    store: last(layers, 'store'),
    permission: permissionOf({ user, project, environment, flags }),
    mcpServers: serversOf(layers),
    hooks: hooksOf(layers),
    budgets: budgetsOf(user, project, flags),
    prices: byName(project.prices, user.prices, flags.prices),
    agent: agentOf(layers),
    toolLimits: byName(user.toolLimits, project.toolLimits, flags.toolLimits),
    telemetry: telemetryOf([user, environment, flags]),
  });
}

/** Without the keys that hold nothing. */
function defined(config: { readonly [Key in keyof Config]: Config[Key] | undefined }): Config {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

function last(
  layers: readonly Config[],
  key: 'summaryModel' | 'profile' | 'store' | 'testCommand',
): string | undefined {
  return layers.findLast((layer) => layer[key] !== undefined)?.[key];
}

/**
 * A key must not be sent to an address that was meant for another model. On the command line both are meant together; the
 * variable is about servers of one's own, and the other providers have one each.
 */
function modelOf({ flags, environment, ...files }: ConfigLayers): Pick<Config, 'model' | 'baseUrl'> {
  const named = [files.user, files.project, environment, flags].findLast(({ model }) => model !== undefined);
  const fromVariable = isOwnServer(named?.model) ? environment.baseUrl : undefined;
  const beside = named === environment ? undefined : named?.baseUrl;
  const baseUrl = flags.baseUrl ?? fromVariable ?? beside;
  return {
    ...(named?.model !== undefined && { model: named.model }),
    ...(baseUrl !== undefined && { baseUrl }),
  };
}

function isOwnServer(model: string | undefined): boolean {
  const [name = ''] = (model ?? '').split(':', 1);
  const provider = knownProviders.get(name.trim().toLowerCase());
  return provider !== undefined && provider.baseUrlKeys.includes(configVariables.baseUrl);
}

/** What holds where nobody said anything. */
const usualMode: PermissionMode = 'ask';

function permissionOf({ user, project, environment, flags }: ConfigLayers): Config['permission'] {
  const rules = [user, project, environment, flags].flatMap((layer) => layer.permission?.rules ?? []);
  const asked = flags.permission?.mode ?? environment.permission?.mode;
  const mode = asked ?? stricter(user.permission?.mode, project.permission?.mode);
  if (mode === undefined && rules.length === 0) return undefined;
  return { ...(mode !== undefined && { mode }), rules };
}

function stricter(
  user: PermissionMode | undefined,
  project: PermissionMode | undefined,
): PermissionMode | undefined {
  if (project === undefined) return user;
  const own = user ?? usualMode;
  // They stand in order, the strictest first.
  return permissionModes.indexOf(project) < permissionModes.indexOf(own) ? project : own;
}

function serversOf(layers: readonly Config[]): Config['mcpServers'] {
  const servers = layers.flatMap((layer) => layer.mcpServers ?? []);
  if (servers.length === 0) return undefined;
  return [...new Map(servers.map((server) => [server.name, server])).values()];
}

function hooksOf(layers: readonly Config[]): ConfigHooks | undefined {
  const given = layers.flatMap(({ hooks }) => (hooks === undefined ? [] : [hooks]));
  if (given.length === 0) return undefined;
  const autoCommit = given.findLast((hooks) => hooks.autoCommit !== undefined)?.autoCommit;
  return {
    beforeTool: given.flatMap(({ beforeTool = [] }) => beforeTool),
    afterTools: given.flatMap(({ afterTools = [] }) => afterTools),
    finish: given.flatMap(({ finish = [] }) => finish),
    ...(autoCommit !== undefined && { autoCommit }),
  };
}

const budgetKeys: readonly (keyof Budgets)[] = ['modelCalls', 'toolCalls', 'tokens', 'cost', 'wallMs'];

function budgetsOf(user: Config, project: Config, flags: Config): Config['budgets'] {
  const entries = budgetKeys.flatMap((key) => {
    const own = flags.budgets?.[key];
    const both = [user.budgets?.[key], project.budgets?.[key]].filter((each) => typeof each === 'number');
    if (own !== undefined) return [[key, own] as const];
    return both.length === 0 ? [] : [[key, Math.min(...both)] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Key by key, from the last that has it; but what an address is sent besides is only for the address it stands beside. */
function telemetryOf(layers: readonly Config[]): Config['telemetry'] {
  const given = layers.flatMap(({ telemetry }) => (telemetry === undefined ? [] : [telemetry]));
  if (given.length === 0) return undefined;
  const { headers: _, ...merged }: TelemetryKeys = Object.assign({}, ...given) as TelemetryKeys;
  const headers = given.findLast(({ otlp }) => otlp !== undefined)?.headers;
  return { ...merged, ...(headers !== undefined && { headers }) };
}

/** Key by key, from the last that has it. */
function agentOf(layers: readonly Config[]): Config['agent'] {
  const given = layers.flatMap(({ agent }) => (agent === undefined ? [] : [agent]));
  if (given.length === 0) return undefined;
  const machines = given.map((agent) => agent.state_machine).filter((each) => each !== undefined);
  return {
    ...Object.assign({}, ...given),
    ...(machines.length > 0 && { state_machine: Object.assign({}, ...machines) as object }),
  } as AgentKeys;
}

type ByName<Value> = { readonly [name: string]: Value };

/** Each entry as a whole, from the last that has it. */
function byName<Value>(...layers: readonly (ByName<Value> | undefined)[]): ByName<Value> | undefined {
  const entries = layers.flatMap((layer) => Object.entries(layer ?? {}));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
