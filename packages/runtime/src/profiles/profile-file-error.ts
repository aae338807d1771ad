export type ProfileFileErrorCode =
  | 'missing'
  | 'not-a-file'
  | 'unreadable'
  | 'too-large'
  | 'unknown-kind'
  | 'syntax'
  | 'invalid'
  /** The file of its chart cannot be used. */
  | 'chart';

/** A file that has no usable profile in it. The message is one line: which file, where in it, what is wrong, what to do. */
export class ProfileFileError extends Error {
  override readonly name = 'ProfileFileError';
  readonly code: ProfileFileErrorCode;
  readonly path: string;
  /** Counted from one; null where the trouble is not with a line. */
  readonly line: number | null;

  constructor(code: ProfileFileErrorCode, path: string, { problem, line = null, cause }: ProfileFileProblem) {
    super(`${JSON.stringify(path)}${line === null ? '' : `, line ${line}`}: ${problem}`, { cause });
    this.code = code;
    this.path = path;
    this.line = line;
  }
}

export type ProfileFileProblem = {
  readonly problem: string;
  readonly line?: number | null | undefined;
  readonly cause?: unknown;
};
