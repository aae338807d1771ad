import { DataFileError, type DataFileErrorCode } from '../data-files/data-file-error.ts';

export type ConfigFileErrorCode =
  | DataFileErrorCode
  /** The folder contains more than one configuration file. */
  | 'ambiguous'
  /** The TypeScript configuration could not be run or did not export a configuration. */
  | 'code';

/** A configuration file cannot be used. */
export class ConfigFileError extends DataFileError<ConfigFileErrorCode> {
  override readonly name = 'ConfigFileError';
}
