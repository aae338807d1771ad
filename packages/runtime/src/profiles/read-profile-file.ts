import { findModeChart } from '@pawl/core/modes';
import type { Profile } from '@pawl/core/profiles';
import { dirname, resolve } from 'node:path';
import { ChartFileError, readChartFile } from '../charts/read-chart-file.ts';
import { DataFileError, type DataFileErrorCode } from '../data-files/data-file-error.ts';
import { parseDataFile, detectDataFormat, type ParsedDataFile } from '../data-files/parse-data-file.ts';
import { readSmallFile } from '../data-files/small-file.ts';
import { ProfileError, parseProfile } from './parse-profile.ts';

/** Larger than any handwritten profile, including its chart. */
export const profileFileBytesMax: number = 512 * 1024;

/**
 * Reads a profile from a `.json`, `.yaml` or `.yml` file. Its `chart` may name another such file, relative to the
 * profile. Throws a `ProfileFileError` with the problem and its position.
 */
export async function readProfileFile(path: string): Promise<Profile> {
  const kind = detectDataFormat(path);
  if (kind === null)
    throw new ProfileFileError('unknown-kind', path, { problem: unsupportedProfileExtension });
  const file = await readSmallFile(path, profileFileBytesMax);
  if (!file.ok) throw new ProfileFileError(file.code, path, file);
  const parsed = parseDataFile(file.text, kind);
  if ('problem' in parsed) throw new ProfileFileError('syntax', path, parsed);
  const value = await loadProfileChart(path, parsed);
  try {
    return parseProfile(value);
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    const line = parsed.findLine(error.path);
    throw new ProfileFileError('invalid', path, { problem: error.message, line, cause: error });
  }
}

const unsupportedProfileExtension = 'unknown file extension. A profile must be a .json, .yaml or .yml file.';

/** Returns the parsed value with a chart file name replaced by the chart it contains. */
async function loadProfileChart(path: string, { value, findLine }: ParsedDataFile): Promise<unknown> {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'chart')) return value;
  const { chart } = value as { readonly chart: unknown };
  if (typeof chart !== 'string' || !isChartFileName(chart)) return value;
  try {
    return { ...value, chart: await readChartFile(resolve(dirname(path), chart)) };
  } catch (error) {
    if (!(error instanceof ChartFileError)) throw error;
    const problem = `its chart cannot be used: ${error.message}`;
    throw new ProfileFileError('chart', path, { problem, line: findLine(['chart']), cause: error });
  }
}

/** Whether the value looks like a path and is not the name of a built-in chart. */
function isChartFileName(chart: string): boolean {
  return findModeChart(chart) === undefined && /[/\\]|\.(?:json|ya?ml)$/i.test(chart);
}

export type ProfileFileErrorCode =
  | DataFileErrorCode
  /** The chart file that the profile names is not usable. */
  | 'chart';

/** A file that does not contain a usable profile. */
export class ProfileFileError extends DataFileError<ProfileFileErrorCode> {
  override readonly name = 'ProfileFileError';
}
