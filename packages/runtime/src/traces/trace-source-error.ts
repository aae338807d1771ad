export type TraceSourceErrorCode = 'missing' | 'unreadable' | 'device';

/** A path that the user named cannot be read. The message is one line: what, where and what to do. */
export class TraceSourceError extends Error {
  override readonly name = 'TraceSourceError';
  readonly code: TraceSourceErrorCode;
  readonly path: string;

  constructor(code: TraceSourceErrorCode, path: string, cause?: unknown) {
    super(`${traceSourceErrorText[code]}: ${JSON.stringify(path)}. ${traceSourceErrorAdvice[code]}`, {
      cause,
    });
    this.code = code;
    this.path = path;
  }
}

const traceSourceErrorText: Record<TraceSourceErrorCode, string> = {
  missing: 'There is no such file or folder',
  unreadable: 'This cannot be read',
  device: 'This is a device',
};

const traceSourceErrorAdvice: Record<TraceSourceErrorCode, string> = {
  missing: 'Check the spelling.',
  unreadable: 'Give yourself the right to read it, or name another.',
  device: 'Name a file or a folder, or write - to read standard input.',
};
