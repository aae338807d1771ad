export type MemoryFileErrorCode = 'unreadable' | 'unwritable' | 'wrong';

/** A memory file cannot be used. The one-line message gives the problem, the path and the fix. */
export class MemoryFileError extends Error {
  override readonly name = 'MemoryFileError';
  readonly code: MemoryFileErrorCode;
  readonly path: string;

  constructor(code: MemoryFileErrorCode, path: string, cause: unknown) {
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    super(`${memoryFileErrorText[code]}: ${JSON.stringify(path)}${reason}. ${memoryFileErrorAdvice[code]}`, {
      cause,
    });
    this.code = code;
    this.path = path;
  }
}

const memoryFileErrorText: Record<MemoryFileErrorCode, string> = {
  unreadable: 'The memory file cannot be read',
  unwritable: 'The memory file cannot be written',
  wrong: 'The configuration file is invalid',
};

const memoryFileErrorAdvice: Record<MemoryFileErrorCode, string> = {
  unreadable: 'Check its permissions, or use another file.',
  unwritable: 'Check free disk space and folder permissions. The previous version is unchanged.',
  wrong: 'Correct it, or remove the file to use the defaults.',
};
