import { DataFileError, type DataFileErrorCode } from '../data-files/data-file-error.ts';

export type ChartFileErrorCode = DataFileErrorCode;

/** A chart file is missing, unreadable or invalid. */
export class ChartFileError extends DataFileError<ChartFileErrorCode> {
  override readonly name = 'ChartFileError';
}
