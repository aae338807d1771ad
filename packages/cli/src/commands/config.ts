import { configOrigins, configVariables, secretsIn, type ConfigOrigin } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { visibleLine } from '../visible.ts';
import { configOf, type ConfigFlags } from './config-flags.ts';
import { layersFor, type FoundLayers } from './config-layers.ts';
import { folderNamed } from '../folder-option.ts';

export type ShowConfigOptions = ConfigFlags & {
  readonly dir: string;
  readonly store?: string;
  readonly json?: boolean | undefined;
};

/** A value that holds, and where it was set: in which file, by which variable, or on the command line. */
type ShownValue = ConfigOrigin & { readonly where: string | null };

/** Tells which values hold in a folder, and where each comes from. Nobody is asked to trust anything. */
export async function showConfig(options: ShowConfigOptions, io: Io): Promise<ExitCode> {
  const folder = await folderNamed(options.dir);
  const flags = { ...configOf(options), ...(options.store !== undefined && { store: options.store }) };
  const found = await layersFor(folder, flags, null);
  const values = configOrigins(found.layers).map((origin) => shownValue(origin, found));
  if (options.json === true) {
    const { userFile, projectFile, isTrusted, warnings } = found;
    const shown = { folder, userFile, projectFile, isTrusted, warnings, values };
    io.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    return exitCodes.finished;
  }
  io.stdout.write(table(values));
  for (const warning of found.warnings) io.stderr.write(`${visibleLine(warning)}\n`);
  return exitCodes.finished;
}

function shownValue({ key, value, from }: ConfigOrigin, found: FoundLayers): ShownValue {
  return { key, value: withoutSecrets(value, [key]), from, where: whereOf(from, key, found) };
}

function whereOf(
  from: ConfigOrigin['from'],
  key: string,
  { userFile, projectFile }: FoundLayers,
): string | null {
  switch (from) {
    case 'user':
      return userFile;
    case 'project':
      return projectFile;
    case 'environment':
      return Object.hasOwn(configVariables, key)
        ? configVariables[key as keyof typeof configVariables]
        : null;
    case 'flags':
    case 'default':
      return null;
    default:
      return from satisfies never;
  }
}

/** A value fit to be shown. One that is only named, as in `${TOKEN}`, stays as it is. */
function withoutSecrets(value: unknown, path: readonly string[]): unknown {
  if (typeof value === 'string') return secretsIn(value, path).length === 0 ? value : '[secret]';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => withoutSecrets(part, path));
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, withoutSecrets(part, [...path, key])]),
  );
}

const origins: Record<ConfigOrigin['from'], string> = {
  user: 'user',
  project: 'project',
  environment: 'environment',
  flags: 'command line',
  default: 'default',
};

function table(values: readonly ShownValue[]): string {
  const rows = values.map(({ key, value, from, where }) => ({
    key: visibleLine(key),
    value: visibleLine(typeof value === 'string' ? value : JSON.stringify(value)),
    from: where === null ? origins[from] : `${origins[from]}: ${visibleLine(where)}`,
  }));
  const widths = {
    key: Math.max(...rows.map(({ key }) => key.length)),
    value: Math.min(60, Math.max(...rows.map(({ value }) => value.length))),
  };
  return rows
    .map(({ key, value, from }) => `${key.padEnd(widths.key)}  ${value.padEnd(widths.value)}  ${from}\n`)
    .join('');
}
