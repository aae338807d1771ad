import { ChartError, type ModeChart } from '@pawl/core/modes';
import { readSmallFile } from '../data-files/small-file.ts';
import { parseDataFile, detectDataFormat } from '../data-files/parse-data-file.ts';
import { DataFileError, type DataFileErrorCode } from '../data-files/data-file-error.ts';
import { parseChart } from './chart-schema.ts';

/** Well above the size of any handwritten chart. */
export const chartFileBytesMax: number = 256 * 1024;

/**
 * Reads a mode chart from a `.json`, `.yaml` or `.yml` file. Throws a `ChartFileError` that says what is wrong and
 * where.
 */
export async function readChartFile(path: string): Promise<ModeChart> {
  const kind = detectDataFormat(path);
  if (kind === null) throw new ChartFileError('unknown-kind', path, { problem: unsupportedChartExtension });
  const file = await readSmallFile(path, chartFileBytesMax);
  if (!file.ok) throw new ChartFileError(file.code, path, file);
  const parsed = parseDataFile(file.text, kind);
  if ('problem' in parsed) throw new ChartFileError('syntax', path, parsed);
  try {
    return parseChart(parsed.value);
  } catch (error) {
    if (!(error instanceof ChartError)) throw error;
    const line = parsed.findLine(error.path);
    throw new ChartFileError('invalid', path, { problem: error.message, line, cause: error });
  }
}

const unsupportedChartExtension = 'unknown file extension. A chart must be a .json, .yaml or .yml file.';

export type ChartFileErrorCode = DataFileErrorCode;

/** A chart file is missing, unreadable or invalid. */
export class ChartFileError extends DataFileError<ChartFileErrorCode> {
  override readonly name = 'ChartFileError';
}
