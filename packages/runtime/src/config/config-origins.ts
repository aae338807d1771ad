import { isDeepStrictEqual } from 'node:util';
import { formatPermissionRule } from '../permission/rule.ts';
import type { Config } from './config.ts';
import { mergeConfigs, type ConfigLayers } from './merge-configs.ts';

/** An effective configuration value and the layer it comes from. */
export type ConfigOrigin = {
  /** Such as `permission.mode`, `budgets.cost` or `mcpServers.github`. */
  readonly key: string;
  readonly value: unknown;
  readonly from: keyof ConfigLayers | 'default';
};

/** Values that apply if no layer sets the key. */
const configDefaults: Config = {
  model: 'librarian',
  profile: 'pawl',
  permission: { mode: 'ask' },
  store: 'user',
  projectInstructions: true,
};

const layersByPrecedence = ['flags', 'environment', 'project', 'user'] as const;

/**
 * Lists every effective value with its origin. Computed from the merged configuration, so that it cannot differ from
 * what a run uses.
 */
export function listConfigOrigins(layers: Partial<ConfigLayers>): readonly ConfigOrigin[] {
  const merged = listConfigEntries(mergeConfigs(layers));
  const layerEntries = layersByPrecedence.map((from) => ({
    from,
    rows: listConfigEntries(layers[from] ?? {}),
  }));
  const effective = merged.map(({ key, value }): ConfigOrigin => {
    const source = layerEntries.find(({ rows }) =>
      rows.some((row) => row.key === key && isDeepStrictEqual(row.value, value)),
    );
    return { key, value, from: source?.from ?? 'default' };
  });
  const unsetDefaults = listConfigEntries(configDefaults).filter(
    ({ key }) => !effective.some((row) => row.key === key),
  );
  return [...unsetDefaults.map((row): ConfigOrigin => ({ ...row, from: 'default' })), ...effective].toSorted(
    compareOrigins,
  );
}

type ConfigEntry = { readonly key: string; readonly value: unknown };

/** Lists one entry per value that can come from a different layer than its siblings. */
function listConfigEntries({
  permission,
  mcpServers = [],
  hooks = {},
  budgets,
  prices,
  toolLimits,
  agent = {},
  telemetry,
  ...plain
}: Config): readonly ConfigEntry[] {
  const { autoCommit, ...commands } = hooks;
  return [
    ...toConfigEntries('', plain),
    ...toConfigEntries('permission.', { mode: permission?.mode }),
    ...(permission?.rules ?? []).map((rule) => ({
      key: 'permission.rules',
      value: formatPermissionRule(rule),
    })),
    ...mcpServers.map(({ name, ...server }) => ({ key: `mcpServers.${name}`, value: server })),
    ...Object.entries(commands).flatMap(([kind, list]) =>
      list.map((value) => ({ key: `hooks.${kind}`, value })),
    ),
    ...toConfigEntries('hooks.', { autoCommit }),
    ...toConfigEntries('budgets.', budgets),
    ...toConfigEntries('prices.', prices),
    ...toConfigEntries('toolLimits.', toolLimits),
    ...toConfigEntries('telemetry.', telemetry),
    ...toConfigEntries('agent.', { max_retries: agent.max_retries }),
    ...toConfigEntries('agent.state_machine.', agent.state_machine),
  ];
}

function toConfigEntries(prefix: string, values: object = {}): readonly ConfigEntry[] {
  return Object.entries(values).flatMap(([key, value]: [string, unknown]) =>
    value === undefined ? [] : [{ key: `${prefix}${key}`, value }],
  );
}

/** Sorts by the key order of the documentation; entries of the same key keep their order. */
function compareOrigins(a: ConfigOrigin, b: ConfigOrigin): number {
  return getKeyPosition(a.key) - getKeyPosition(b.key);
}

const configKeyOrder: readonly string[] = [
  'model',
  'baseUrl',
  'summaryModel',
  'profile',
  'store',
  'permission',
  'mcpServers',
  'hooks',
  'budgets',
  'prices',
  'testCommand',
  'toolLimits',
  'projectInstructions',
  'telemetry',
  'agent',
];

function getKeyPosition(key: string): number {
  return configKeyOrder.indexOf(key.split('.', 1)[0] ?? '');
}
