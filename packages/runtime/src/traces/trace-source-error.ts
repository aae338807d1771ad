export type TraceSourceErrorCode = 'missing' | 'unreadable' | 'device';

/** Something that was named to be read cannot be. The message is one line: what, where, what to do. */
export class TraceSourceError extends Error {
  override readonly name = 'TraceSourceError';
  readonly code: TraceSourceErrorCode;
  readonly path: string;

  constructor(code: TraceSourceErrorCode, path: string, cause?: unknown) {
    super(`${what[code]}: ${JSON.stringify(path)}. ${whatToDo[code]}`, { cause });
    this.code = code;
    this.path = path;
  }
}

const what: Record<TraceSourceErrorCode, string> = {
  missing: 'There is no such file or folder',
  unreadable: 'This cannot be read',
  device: 'This is a device',
};

const whatToDo: Record<TraceSourceErrorCode, string> = {
  missing: 'Check the spelling.',
  unreadable: 'Give yourself the right to read it, or name another.',
  device: 'Name a file or a folder, or write - to read standard input.',
};
