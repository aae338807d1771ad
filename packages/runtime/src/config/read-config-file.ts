import { dirname, extname, resolve } from 'node:path';
import * as z from 'zod';
import { readSmallFile } from '../data-files/small-file.ts';
import {
  parseDataFile,
  detectDataFormat,
  type DataPath,
  type ParsedDataFile,
} from '../data-files/parse-data-file.ts';
import { formatIssuePath } from '../schema/explain.ts';
import { toPrintableLine } from '../schema/one-line.ts';
import { listConfigWarnings } from './config-warnings.ts';
import { ConfigFileError } from './config-file-error.ts';
import { configSchema, type ConfigDocument } from './config-schema.ts';
import type { Config } from './config.ts';
import { explainConfigIssue } from './explain-config.ts';
import { resolveConfig } from './resolve-config.ts';

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
  const parsed = configSchema.safeParse(value ?? {}, { error: explainConfigIssue });
  const protoKeyPath = findProtoKey(value, []);
  if (protoKeyPath !== null)
    throw createInvalidConfigError(path, protoKeyPath, 'unknown key "__proto__"', findLine);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw createInvalidConfigError(
      path,
      getIssuePath(issue),
      issue?.message ?? 'it is not a configuration',
      findLine,
    );
  }
  if (parsed.data.baseUrl !== undefined && parsed.data.model === undefined)
    throw createInvalidConfigError(
      path,
      ['baseUrl'],
      'it applies only to a model set in the same file. Set "model" as well',
      findLine,
    );
  return parsed.data;
}

/** Returns the path of the issue; for an unknown key, the path of that key. */
function getIssuePath(issue: z.core.$ZodIssue | undefined): DataPath {
  if (issue === undefined) return [];
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  return key === undefined ? path : [...path, key];
}

/** Finds `__proto__` keys, which zod ignores. */
function findProtoKey(value: unknown, path: DataPath): DataPath | null {
  if (typeof value !== 'object' || value === null) return null;
  if (Object.hasOwn(value, '__proto__')) return [...path, '__proto__'];
  for (const [key, part] of Object.entries(value)) {
    const match = findProtoKey(part, [...path, Array.isArray(value) ? Number(key) : key]);
    if (match !== null) return match;
  }
  return null;
}

function createInvalidConfigError(
  path: string,
  keyPath: DataPath,
  problem: string,
  lineOf: ParsedDataFile['findLine'],
): ConfigFileError {
  const prefix = keyPath.length === 0 ? '' : `${toPrintableLine(formatIssuePath(keyPath), 120)}: `;
  const end = /[.?!]$/.test(problem) ? '' : '.';
  return new ConfigFileError('invalid', path, {
    problem: `${prefix}${problem}${end}`,
    line: lineOf(keyPath),
  });
}
