export type StorageErrorCode = 'not-a-database' | 'not-ours' | 'too-new' | 'unusable';

/** A storage file cannot be used. The one-line message gives the problem, the path and the fix. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  readonly path: string;

  constructor(code: StorageErrorCode, path: string, cause?: unknown) {
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    super(`${storageErrorText[code]}: ${JSON.stringify(path)}${reason}. ${storageErrorAdvice[code]}`, {
      cause,
    });
    this.code = code;
    this.path = path;
  }
}

const storageErrorText: Record<StorageErrorCode, string> = {
  'not-a-database': 'This file is not a storage',
  'not-ours': 'This database belongs to another program',
  'too-new': 'This storage was written by a newer version of Pawl',
  unusable: 'This storage cannot be opened',
};

const storageErrorAdvice: Record<StorageErrorCode, string> = {
  'not-a-database': 'Name another file; this one has been left as it is.',
  'not-ours': 'Name another file; this one has been left as it is.',
  'too-new': 'Update Pawl, or name another file.',
  unusable: 'Check that the folder exists and that you may write to it.',
};
