import { isDeepStrictEqual } from 'node:util';
import { formatRule } from '../permission/rule.ts';
import type { Config } from './config.ts';
import { mergeConfigs, type ConfigLayers } from './merge-configs.ts';

/** One value that holds, under its key, and who said so. */
export type ConfigOrigin = {
  /** Such as `permission.mode`, `budgets.cost` or `mcpServers.github`. */
  readonly key: string;
  readonly value: unknown;
  readonly from: keyof ConfigLayers | 'default';
};

/** What holds where nobody says anything. */
const configDefaults: Config = {
  model: 'librarian',
  profile: 'pawl',
  permission: { mode: 'ask' },
  store: 'user',
};

const strongestFirst = ['flags', 'environment', 'project', 'user'] as const;

/**
 * Every value that holds in the end, and where it comes from. It is looked up in what the layers come to, so that this and
 * what a run goes by cannot differ.
 */
export function configOrigins(layers: Partial<ConfigLayers>): readonly ConfigOrigin[] {
  const merged = rowsOf(mergeConfigs(layers));
  const said = strongestFirst.map((from) => ({ from, rows: rowsOf(layers[from] ?? {}) }));
  const set = merged.map(({ key, value }): ConfigOrigin => {
    const source = said.find(({ rows }) =>
      rows.some((row) => row.key === key && isDeepStrictEqual(row.value, value)),
    );
    return { key, value, from: source?.from ?? 'default' };
  });
  const left = rowsOf(configDefaults).filter(({ key }) => !set.some((row) => row.key === key));
  return [...left.map((row): ConfigOrigin => ({ ...row, from: 'default' })), ...set].toSorted(byKey);
}

type Row = { readonly key: string; readonly value: unknown };

/** A row for each thing that can come from somewhere else than its neighbour. */
function rowsOf({
  permission,
  mcpServers = [],
  hooks = {},
  budgets,
  prices,
  toolLimits,
  agent = {},
  telemetry,
  ...plain
}: Config): readonly Row[] {
  const { autoCommit, ...commands } = hooks;
  return [
    ...rowsIn('', plain),
    ...rowsIn('permission.', { mode: permission?.mode }),
    ...(permission?.rules ?? []).map((rule) => ({ key: 'permission.rules', value: formatRule(rule) })),
    ...mcpServers.map(({ name, ...server }) => ({ key: `mcpServers.${name}`, value: server })),
    ...Object.entries(commands).flatMap(([kind, list]) =>
      list.map((value) => ({ key: `hooks.${kind}`, value })),
    ),
    ...rowsIn('hooks.', { autoCommit }),
    ...rowsIn('budgets.', budgets),
    ...rowsIn('prices.', prices),
    ...rowsIn('toolLimits.', toolLimits),
    ...rowsIn('telemetry.', telemetry),
    ...rowsIn('agent.', { max_retries: agent.max_retries }),
    ...rowsIn('agent.state_machine.', agent.state_machine),
  ];
}

function rowsIn(prefix: string, values: object = {}): readonly Row[] {
  return Object.entries(values).flatMap(([key, value]: [string, unknown]) =>
    value === undefined ? [] : [{ key: `${prefix}${key}`, value }],
  );
}

/** In the order of the documentation; within a key as it was given. */
function byKey(a: ConfigOrigin, b: ConfigOrigin): number {
  return placeOf(a.key) - placeOf(b.key);
}

const order: readonly string[] = [
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
  'telemetry',
  'agent',
];

function placeOf(key: string): number {
  return order.indexOf(key.split('.', 1)[0] ?? '');
}
