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
  'not-a-database': 'This file is not a storage database',
  'not-ours': 'This database belongs to another program',
  'too-new': 'This storage was written by a newer version of Pawl',
  unusable: 'This storage cannot be opened',
};

const storageErrorAdvice: Record<StorageErrorCode, string> = {
  'not-a-database': 'Use another file; this one was not changed.',
  'not-ours': 'Use another file; this one was not changed.',
  'too-new': 'Update Pawl, or use another file.',
  unusable: 'Check that the folder exists and is writable.',
};
