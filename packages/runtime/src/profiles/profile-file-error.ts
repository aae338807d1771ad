import { DataFileError, type DataFileErrorCode } from '../data-files/data-file-error.ts';

export type ProfileFileErrorCode =
  | DataFileErrorCode
  /** The chart file that the profile names is not usable. */
  | 'chart';

/** A file that does not contain a usable profile. */
export class ProfileFileError extends DataFileError<ProfileFileErrorCode> {
  override readonly name = 'ProfileFileError';
}
