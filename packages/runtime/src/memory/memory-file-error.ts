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
  wrong: 'There is a mistake in this file',
};

const memoryFileErrorAdvice: Record<MemoryFileErrorCode, string> = {
  unreadable: 'Make it readable for you, or name another file.',
  unwritable:
    'Make room on the disk, or make the folder writable for you; what was there before is unharmed.',
  wrong: 'Correct it, or remove the file to go on without it.',
};
