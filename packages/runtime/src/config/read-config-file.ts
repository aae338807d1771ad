import { dirname, extname, resolve } from 'node:path';
import * as z from 'zod';
import { readSmallFile } from '../written-files/small-file.ts';
import {
  readWrittenText,
  writtenKindOf,
  type WrittenPath,
  type WrittenText,
} from '../written-files/written-text.ts';
import { placeOf } from '../schema/explain.ts';
import { oneLine } from '../schema/one-line.ts';
import { warningsFor } from './config-warnings.ts';
import { ConfigFileError } from './config-file-error.ts';
import { configSchema, type WrittenConfig } from './config-schema.ts';
import type { Config } from './config.ts';
import { explainConfig } from './explain-config.ts';
import { configFrom } from './config-from.ts';

/** More than the largest configuration anybody would write by hand. */
export const configFileBytesMax: number = 256 * 1024;

export type ReadConfig = {
  readonly path: string;
  /** The file to the letter: this is what a person trusts, not its name. */
  readonly text: string;
  /** What it sets; of a program, nothing until it has been run. */
  readonly config: Config;
  /** Whether it is a program, to be run by `runConfigCode` once its text is trusted. */
  readonly isCode: boolean;
  /** One line each: where it is and what to do. */
  readonly warnings: readonly string[];
};

/**
 * A configuration from a file: `.json`, `.yaml`, `.yml` or `.ts`. Nothing in it takes effect by being read, and a program is
 * not run. Throws one `ConfigFileError` that says what is wrong where.
 */
export async function readConfigFile(path: string): Promise<ReadConfig> {
  const kind = kindOf(path);
  const file = await readSmallFile(path, configFileBytesMax);
  if (!file.ok) throw new ConfigFileError(file.code, path, file);
  const { text } = file;
  if (kind === 'ts') return { path, text, config: {}, isCode: true, warnings: [] };
  const read = readWrittenText(text, kind);
  if ('problem' in read)
    throw new ConfigFileError('syntax', path, { ...read, problem: unquoted(read.problem) });
  return { path, text, isCode: false, ...configOf(path, read) };
}

/** What a value from that file means, once it has been checked. */
export function configOf(path: string, read: WrittenText): Pick<ReadConfig, 'config' | 'warnings'> {
  const config = configFrom(checked(path, read), dirname(resolve(path)));
  return { config, warnings: warningsFor(path, read, config) };
}

/** The complaint of a parser without the piece of the file that it quotes: a secret may stand there. */
function unquoted(problem: string): string {
  return problem.replace(
    /, (?:\.\.\.)?".*" is not valid JSON|, (?:\.\.\.)?".*"\.\.\. is not valid JSON/s,
    '',
  );
}

function kindOf(path: string): 'json' | 'yaml' | 'ts' {
  const kind = extname(path).toLowerCase() === '.ts' ? 'ts' : writtenKindOf(path);
  if (kind !== null) return kind;
  const problem =
    'configurations are read from .json, .yaml, .yml and .ts files. Rename it to say which it is.';
  throw new ConfigFileError('unknown-kind', path, { problem });
}

function checked(path: string, { value, lineOf }: WrittenText): WrittenConfig {
  // An empty file says nothing, which is not wrong.
  const parsed = configSchema.safeParse(value ?? {}, { error: explainConfig });
  const odd = protoIn(value, []);
  if (odd !== null) throw invalid(path, odd, 'unknown key "__proto__"', lineOf);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(path, pathOf(issue), issue?.message ?? 'it is not a configuration', lineOf);
  }
  if (parsed.data.baseUrl !== undefined && parsed.data.model === undefined)
    throw invalid(
      path,
      ['baseUrl'],
      'it is for the model beside it, and there is none. Name the model, too',
      lineOf,
    );
  return parsed.data;
}

/** Where the trouble is: at the key, if it is with a key that should not be there. */
function pathOf(issue: z.core.$ZodIssue | undefined): WrittenPath {
  if (issue === undefined) return [];
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  return key === undefined ? path : [...path, key];
}

/** The library that checks the rest would pass over this key. */
function protoIn(value: unknown, path: WrittenPath): WrittenPath | null {
  if (typeof value !== 'object' || value === null) return null;
  if (Object.hasOwn(value, '__proto__')) return [...path, '__proto__'];
  for (const [key, part] of Object.entries(value)) {
    const found = protoIn(part, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== null) return found;
  }
  return null;
}

function invalid(
  path: string,
  place: WrittenPath,
  problem: string,
  lineOf: WrittenText['lineOf'],
): ConfigFileError {
  const where = place.length === 0 ? '' : `${oneLine(placeOf(place), 120)}: `;
  const end = /[.?!]$/.test(problem) ? '' : '.';
  return new ConfigFileError('invalid', path, { problem: `${where}${problem}${end}`, line: lineOf(place) });
}
