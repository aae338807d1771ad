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
  missing: 'No such file or folder',
  unreadable: 'This path cannot be read',
  device: 'This is a device',
};

const traceSourceErrorAdvice: Record<TraceSourceErrorCode, string> = {
  missing: 'Check the path.',
  unreadable: 'Check its permissions, or specify another path.',
  device: 'Specify a file or a folder, or - for standard input.',
};
