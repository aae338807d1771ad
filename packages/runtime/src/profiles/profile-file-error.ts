import { WrittenFileError, type WrittenFileErrorCode } from '../written-files/written-file-error.ts';

export type ProfileFileErrorCode =
  | WrittenFileErrorCode
  /** The file of its chart cannot be used. */
  | 'chart';

/** A file that has no usable profile in it. */
export class ProfileFileError extends WrittenFileError<ProfileFileErrorCode> {
  override readonly name = 'ProfileFileError';
}
