export type TrustErrorCode = 'missing' | 'unsafe' | 'unreadable' | 'unwritable';

/** A trust record cannot be read or written. The message is one line: what, where and what to do. */
export class TrustError extends Error {
  override readonly name = 'TrustError';
  readonly code: TrustErrorCode;
  readonly path: string;

  constructor(code: TrustErrorCode, path: string, cause?: unknown) {
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    super(`${trustErrorText[code]}: ${JSON.stringify(path)}${reason}. ${trustErrorAdvice[code]}`, { cause });
    this.code = code;
    this.path = path;
  }
}

const trustErrorText: Record<TrustErrorCode, string> = {
  missing: 'There is no such folder to trust',
  unsafe: 'Other users can change this trust record',
  unreadable: 'The trust record cannot be read',
  unwritable: 'The trust record cannot be written',
};

const trustErrorAdvice: Record<TrustErrorCode, string> = {
  missing: 'Check the spelling.',
  unsafe: 'Make it writable only by you, with chmod go-w, or remove it.',
  unreadable: 'Give yourself permission to read it, or remove it.',
  unwritable: 'Free some disk space, or give yourself permission to write there.',
};
