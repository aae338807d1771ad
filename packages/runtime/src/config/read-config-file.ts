import { findProfile } from '@pawl/core/profiles';
import { isPlainObject } from '@pawl/governor/json';
import { dirname, extname, resolve } from 'node:path';
import {
  parseDataFile,
  detectDataFormat,
  type DataPath,
  type ParsedDataFile,
} from '../data-files/parse-data-file.ts';
import { readSmallFile } from '../data-files/small-file.ts';
import { type McpServer, isPlaintextUrl } from '../mcp/mcp-server.ts';
import { parsePermissionRule, type PermissionRule } from '../permission/rule.ts';
import { formatIssuePath } from '../schema/explain.ts';
import { validateDocument, type DocumentProblem } from '../data-files/validate-document.ts';
import { toPrintableLine } from '../text/one-line.ts';
import { ConfigFileError, isDataFilePath, isStoreKeyword, type Config } from './config.ts';
import { configSchema, type ConfigDocument } from './config-schema.ts';
import { findSecrets } from '../data-files/secrets.ts';

/** Well above the size of any handwritten configuration. */
export const configFileBytesMax: number = 256 * 1024;

export type ConfigFileContents = {
  readonly path: string;
  /** The exact file contents; users trust this text rather than the path. */
  readonly text: string;
  /** The parsed configuration; empty for a `.ts` file, which has not been run yet. */
  readonly config: Config;
  /** Whether the file is TypeScript, to be run with `runConfigCode` once its text is trusted. */
  readonly isCode: boolean;
  /** One line per warning: the location and the fix. */
  readonly warnings: readonly string[];
};

/**
 * Reads a configuration from a `.json`, `.yaml`, `.yml` or `.ts` file. Applies nothing and does not run TypeScript.
 * Throws a `ConfigFileError` that says what is wrong and where.
 */
export async function readConfigFile(path: string): Promise<ConfigFileContents> {
  const kind = detectConfigFormat(path);
  const file = await readSmallFile(path, configFileBytesMax);
  if (!file.ok) throw new ConfigFileError(file.code, path, file);
  const { text } = file;
  if (kind === 'ts') return { path, text, config: {}, isCode: true, warnings: [] };
  const parsed = parseDataFile(text, kind);
  if ('problem' in parsed)
    throw new ConfigFileError('syntax', path, { ...parsed, problem: stripQuotedSource(parsed.problem) });
  return { path, text, isCode: false, ...validateConfig(path, parsed) };
}

/** Validates and resolves a parsed configuration file. */
export function validateConfig(
  path: string,
  parsed: ParsedDataFile,
): Pick<ConfigFileContents, 'config' | 'warnings'> {
  const config = resolveConfig(parseConfigDocument(path, parsed), dirname(resolve(path)));
  return { config, warnings: listConfigWarnings(path, parsed, config) };
}

/** Removes the source excerpt from a parser error, because it may contain a secret. */
function stripQuotedSource(problem: string): string {
  return problem.replace(
    /, (?:\.\.\.)?".*" is not valid JSON|, (?:\.\.\.)?".*"\.\.\. is not valid JSON/s,
    '',
  );
}

function detectConfigFormat(path: string): 'json' | 'yaml' | 'ts' {
  const kind = extname(path).toLowerCase() === '.ts' ? 'ts' : detectDataFormat(path);
  if (kind !== null) return kind;
  const problem = 'unknown file extension. A configuration must be a .json, .yaml, .yml or .ts file.';
  throw new ConfigFileError('unknown-kind', path, { problem });
}

function parseConfigDocument(path: string, { value, findLine }: ParsedDataFile): ConfigDocument {
  // An empty file is a valid, empty configuration.
  const parsed = validateDocument(configSchema, value ?? {});
  const problems = [...(parsed.ok ? [] : parsed.problems), ...findBaseUrlProblem(value)];
  const [first, ...others] = problems.map(({ path: keyPath, problem }) => ({
    problem: formatConfigProblem(keyPath, problem),
    line: findLine(keyPath),
  }));
  if (first !== undefined) throw new ConfigFileError('invalid', path, first, others);
  if (!parsed.ok) throw new ConfigFileError('invalid', path, parsed);
  return parsed.value;
}

/** Reads the raw document, so that this is reported together with other problems. */
function findBaseUrlProblem(document: unknown): readonly DocumentProblem[] {
  if (!isPlainObject(document) || document['baseUrl'] === undefined || document['model'] !== undefined)
    return [];
  const problem = 'it applies only to a model set in the same file. Set "model" as well';
  return [{ path: ['baseUrl'], problem }];
}

function formatConfigProblem(keyPath: DataPath, problem: string): string {
  const prefix = keyPath.length === 0 ? '' : `${toPrintableLine(formatIssuePath(keyPath), 120)}: `;
  return `${prefix}${problem}${/[.?!]$/.test(problem) ? '' : '.'}`;
}

/** Lists valid but dangerous settings, one line each with the location and the fix. */
function listConfigWarnings(
  path: string,
  { value, findLine }: ParsedDataFile,
  config: Config,
): readonly string[] {
  const formatLocation = (keyPath: DataPath): string => {
    const line = findLine(keyPath);
    const lineText = line === null ? '' : `, line ${line}`;
    return `${JSON.stringify(path)}${lineText}: ${toPrintableLine(formatIssuePath(keyPath), 120)}`;
  };
  return [
    ...findSecrets(value).map((keyPath) => `${formatLocation(keyPath)} ${formatSecretWarning(keyPath)}`),
    ...findPlaintextHeaders(config).map(
      (keyPath) => `${formatLocation(keyPath)} are sent unencrypted. Use https.`,
    ),
  ];
}

function formatSecretWarning(keyPath: DataPath): string {
  const key = String(keyPath.at(-1) ?? '');
  const name = /^[A-Z][A-Z0-9_]*$/.test(key) ? key : 'NAME';
  return `looks like a secret. Replace it with "\${${name}}" and set the environment variable ${name}.`;
}

function findPlaintextHeaders({ mcpServers = [] }: Config): readonly DataPath[] {
  return mcpServers.flatMap((server) =>
    'url' in server && server.headers !== undefined && isPlaintextUrl(server.url)
      ? [['mcpServers', server.name, 'headers']]
      : [],
  );
}

/** Resolves a configuration document: parses rules, adds server names and resolves paths relative to its folder. */
function resolveConfig(document: ConfigDocument, folder: string): Config {
  const { $schema: _, profile, store, permission, mcpServers, ...rest } = document;
  const servers = Object.entries(mcpServers ?? {}).map(([name, server]) =>
    resolveServerConfig(name, server, folder),
  );
  return {
    ...rest,
    ...(profile !== undefined && { profile: resolveProfilePath(profile, folder) }),
    ...(store !== undefined && { store: resolveStoreLocation(store, folder) }),
    ...(permission !== undefined && { permission: parsePermissionConfig(permission) }),
    ...(mcpServers !== undefined && { mcpServers: servers }),
  };
}

/** Resolves a value that looks like a path, unless it is the name of a built-in profile. */
function resolveProfilePath(profile: string, folder: string): string {
  const isFile = findProfile(profile) === undefined && isDataFilePath(profile);
  return isFile ? resolve(folder, profile) : profile;
}

/** Resolves a file path; keywords and URLs stay as they are. */
function resolveStoreLocation(store: string, folder: string): string {
  return isStoreKeyword(store) || store.includes('://') ? store : resolve(folder, store);
}

function parsePermissionConfig({
  rules,
  ...permission
}: NonNullable<ConfigDocument['permission']>): NonNullable<Config['permission']> {
  return { ...permission, ...(rules !== undefined && { rules: rules.flatMap(parseConfigRule) }) };
}

/** The schema has already validated each rule. */
function parseConfigRule(text: string): readonly PermissionRule[] {
  const parsed = parsePermissionRule(text);
  return parsed.ok ? [parsed.rule] : [];
}

type RawServerConfig = NonNullable<ConfigDocument['mcpServers']>[string];

function resolveServerConfig(name: string, { cwd, ...server }: RawServerConfig, folder: string): McpServer {
  const resolved = { name, ...server, ...(cwd !== undefined && { cwd: resolve(folder, cwd) }) };
  // The schema guarantees either a command or a URL, and only the keys that belong to it.
  return resolved as McpServer;
}
