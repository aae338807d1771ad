import { WrittenFileError, type WrittenFileErrorCode } from '../written-files/written-file-error.ts';

export type ConfigFileErrorCode =
  | WrittenFileErrorCode
  /** There are two where one is looked for. */
  | 'ambiguous'
  /** It is a program, and that did not come to a configuration. */
  | 'code';

/** A configuration that cannot be used. */
export class ConfigFileError extends WrittenFileError<ConfigFileErrorCode> {
  override readonly name = 'ConfigFileError';
}
