import { WrittenFileError, type WrittenFileErrorCode } from '../written-files/written-file-error.ts';

export type ChartFileErrorCode = WrittenFileErrorCode;

/** A file that has no usable chart in it. */
export class ChartFileError extends WrittenFileError<ChartFileErrorCode> {
  override readonly name = 'ChartFileError';
}
