import { ChartError, readChart, type ModeChart } from '@pawl/core';
import { ChartFileError } from './chart-file-error.ts';
import { readSmallFile } from '../written-files/small-file.ts';
import { readWrittenText, writtenKindOf } from '../written-files/written-text.ts';

/** More than the largest chart anybody would write by hand. */
export const chartFileBytesMax: number = 256 * 1024;

/** A chart of modes from a file: `.json`, `.yaml` or `.yml`. Throws one `ChartFileError` that says what is wrong where. */
export async function readChartFile(path: string): Promise<ModeChart> {
  const kind = writtenKindOf(path);
  if (kind === null) throw new ChartFileError('unknown-kind', path, { problem: unknownKind });
  const file = await readSmallFile(path, chartFileBytesMax);
  if (!file.ok) throw new ChartFileError(file.code, path, file);
  const read = readWrittenText(file.text, kind);
  if ('problem' in read) throw new ChartFileError('syntax', path, read);
  try {
    return readChart(read.value);
  } catch (error) {
    if (!(error instanceof ChartError)) throw error;
    const line = read.lineOf(error.path);
    throw new ChartFileError('invalid', path, { problem: error.message, line, cause: error });
  }
}

const unknownKind = 'charts are read from .json, .yaml and .yml files. Rename it to say which it is.';
