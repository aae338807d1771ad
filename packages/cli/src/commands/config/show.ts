import { flagsToConfig, type ConfigFlags } from '@pawl/runtime/agent-setup';
import { configVariables, type LoadedConfigLayers } from '@pawl/runtime/config';
import { listConfigOrigins, findSecrets, type ConfigOrigin } from '@pawl/runtime/config-files';
import { exitCodes, type ExitCode } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { loadConfigLayers, withSetupUsageErrors } from '../../options/load-config.ts';
import { resolveFolder } from '../../options/parse-options.ts';

export type ShowConfigOptions = ConfigFlags & {
  readonly dir: string;
  readonly store?: string;
  readonly json?: boolean | undefined;
};

/** An effective value and its origin: a file, a variable, or the command line. */
type ConfigValue = ConfigOrigin & { readonly where: string | null };

/** Shows the effective values in a folder and their origins, without asking to trust anything. */
export async function showConfig(options: ShowConfigOptions, io: CommandIo): Promise<ExitCode> {
  const folder = await resolveFolder(options.dir);
  const config = await withSetupUsageErrors(async () => flagsToConfig(options));
  const flags = { ...config, ...(options.store !== undefined && { store: options.store }) };
  const loaded = await loadConfigLayers(folder, flags);
  const values = listConfigOrigins(loaded.layers).map((origin) => toConfigValue(origin, loaded));
  if (options.json === true) {
    const { userFile, projectFile, isTrusted, warnings } = loaded;
    const output = { folder, userFile, projectFile, isTrusted, warnings, values };
    io.stdout.write(`${JSON.stringify(output, null, 2)}\n`);
    return exitCodes.finished;
  }
  io.stdout.write(formatConfigTable(values));
  for (const warning of loaded.warnings) io.stderr.write(`${sanitizeOneLine(warning)}\n`);
  return exitCodes.finished;
}

function toConfigValue({ key, value, from }: ConfigOrigin, loaded: LoadedConfigLayers): ConfigValue {
  return { key, value: maskConfigSecrets(value, [key]), from, where: getOriginLocation(from, key, loaded) };
}

function getOriginLocation(
  from: ConfigOrigin['from'],
  key: string,
  { userFile, projectFile }: LoadedConfigLayers,
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

/** Masks secrets in a value; variable references such as `${TOKEN}` stay as they are. */
function maskConfigSecrets(value: unknown, path: readonly string[]): unknown {
  if (typeof value === 'string') return findSecrets(value, path).length === 0 ? value : '[secret]';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => maskConfigSecrets(part, path));
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, maskConfigSecrets(part, [...path, key])]),
  );
}

const originLabels: Record<ConfigOrigin['from'], string> = {
  user: 'user',
  project: 'project',
  environment: 'environment',
  flags: 'command line',
  default: 'default',
};

function formatConfigTable(values: readonly ConfigValue[]): string {
  const rows = values.map(({ key, value, from, where }) => ({
    key: sanitizeOneLine(key),
    value: sanitizeOneLine(typeof value === 'string' ? value : JSON.stringify(value)),
    from: where === null ? originLabels[from] : `${originLabels[from]}: ${sanitizeOneLine(where)}`,
  }));
  const widths = {
    key: Math.max(...rows.map(({ key }) => key.length)),
    value: Math.min(60, Math.max(...rows.map(({ value }) => value.length))),
  };
  return rows
    .map(({ key, value, from }) => `${key.padEnd(widths.key)}  ${value.padEnd(widths.value)}  ${from}\n`)
    .join('');
}
