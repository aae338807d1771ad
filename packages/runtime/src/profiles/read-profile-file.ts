import { dirname, resolve } from 'node:path';
import { findModeChart, ProfileError, readProfile, type Profile } from '@pawl/core';
import { ChartFileError } from '../charts/chart-file-error.ts';
import { readChartFile } from '../charts/read-chart-file.ts';
import { ProfileFileError } from './profile-file-error.ts';
import { readSmallFile } from '../written-files/small-file.ts';
import { readWrittenText, writtenKindOf, type WrittenText } from '../written-files/written-text.ts';

/** More than the largest profile anybody would write by hand, a chart in it included. */
export const profileFileBytesMax: number = 512 * 1024;

/**
 * A profile from a file: `.json`, `.yaml` or `.yml`. Its `chart` may name another such file, from where the profile is.
 * Throws one `ProfileFileError` that says what is wrong where.
 */
export async function readProfileFile(path: string): Promise<Profile> {
  const kind = writtenKindOf(path);
  if (kind === null) throw new ProfileFileError('unknown-kind', path, { problem: unknownKind });
  const file = await readSmallFile(path, profileFileBytesMax);
  if (!file.ok) throw new ProfileFileError(file.code, path, file);
  const read = readWrittenText(file.text, kind);
  if ('problem' in read) throw new ProfileFileError('syntax', path, read);
  const value = await withChart(path, read);
  try {
    return readProfile(value);
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    const line = read.lineOf(error.path);
    throw new ProfileFileError('invalid', path, { problem: error.message, line, cause: error });
  }
}

const unknownKind = 'profiles are read from .json, .yaml and .yml files. Rename it to say which it is.';

/** What stands in the file, with the chart itself where it names the file of one. */
async function withChart(path: string, { value, lineOf }: WrittenText): Promise<unknown> {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'chart')) return value;
  const { chart } = value as { readonly chart: unknown };
  if (typeof chart !== 'string' || !isFileName(chart)) return value;
  try {
    return { ...value, chart: await readChartFile(resolve(dirname(path), chart)) };
  } catch (error) {
    if (!(error instanceof ChartFileError)) throw error;
    const problem = `its chart cannot be used: ${error.message}`;
    throw new ProfileFileError('chart', path, { problem, line: lineOf(['chart']), cause: error });
  }
}

/** Anything but the name of a chart that is built in, if it looks like a path. */
function isFileName(chart: string): boolean {
  return findModeChart(chart) === undefined && /[/\\]|\.(?:json|ya?ml)$/i.test(chart);
}
