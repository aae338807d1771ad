export type ConfigFileErrorCode =
  | 'missing'
  | 'not-a-file'
  | 'unreadable'
  | 'too-large'
  | 'unknown-kind'
  | 'syntax'
  | 'invalid'
  /** There are two where one is looked for. */
  | 'ambiguous';

export type ConfigFileProblem = {
  readonly problem: string;
  readonly line?: number | null | undefined;
  readonly cause?: unknown;
};

/** A configuration that cannot be used. The message is one line: which file, where in it, what is wrong, what to do. */
export class ConfigFileError extends Error {
  override readonly name = 'ConfigFileError';
  readonly code: ConfigFileErrorCode;
  readonly path: string;
  /** Counted from one; null where the trouble is not with a line. */
  readonly line: number | null;

  constructor(code: ConfigFileErrorCode, path: string, { problem, line = null, cause }: ConfigFileProblem) {
    super(`${JSON.stringify(path)}${line === null ? '' : `, line ${line}`}: ${problem}`, { cause });
    this.code = code;
    this.path = path;
    this.line = line;
  }
}
